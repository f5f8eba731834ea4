// Storing embeddings in fewer bytes.
using System;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>What embeddings are stored as.</summary>
    public enum Precision
    {
        /// <summary>IEEE half, 2 bytes a value, in the machine's byte order; rounded to nearest,
        /// ties to even.</summary>
        Float16 = 1,
        /// <summary>1 byte: (x - start) / step - 128 for the start and step of its dimension;
        /// beyond the range it saturates.</summary>
        Int8 = 2,
        /// <summary>1 bit: 1 where the value is above 0, highest bit first, each row padded with 0
        /// to whole bytes.</summary>
        Binary = 3
    }

    /// <summary>Stores embeddings in fewer bytes, as numpy and sentence-transformers do.</summary>
    public static unsafe class Quantization
    {
        /// <summary>Bytes of one embedding.</summary>
        public static int BytesPerRow(Precision precision, int dimension)
        {
            switch (precision)
            {
                case Precision.Float16: return checked(dimension * 2);
                case Precision.Int8: return dimension;
                case Precision.Binary: return (dimension + 7) / 8;
                default: throw new ArgumentOutOfRangeException(nameof(precision), precision, "There is no such precision.");
            }
        }

        /// <summary> Measures the range of each dimension over a sample, for <see
        /// cref="Precision.Int8"/>. Use one calibration for a corpus and all that is compared with
        /// it, and store it beside them.
        /// </summary>
        /// <returns>[2, dimension]: the starts, then the steps.</returns>
        public static float[] Calibrate(Embeddings sample)
        {
            if (sample == null) throw new ArgumentNullException(nameof(sample));
            return Calibrate(sample.Values.Span, sample.Dimension);
        }

        /// <summary>The same for [n, dimension] floats row by row.</summary>
        public static float[] Calibrate(ReadOnlySpan<float> sample, int dimension)
        {
            NativeLoader.Require();
            int rows = Rows.Count(sample, dimension, nameof(sample));
            var calibration = new float[checked(2 * dimension)];
            fixed (float* start = sample, result = calibration) Native.cs_quantize_calibrate(start, rows, dimension, result, calibration.Length);
            return calibration;
        }

        /// <summary>Quantizes embeddings, row by row.</summary>
        /// <param name="embeddings">The embeddings.</param>
        /// <param name="precision">Into what.</param>
        /// <param name="calibration">What <see cref="Calibrate(Embeddings)"/> measured, for <see
        /// cref="Precision.Int8"/>; empty otherwise.</param>
        public static byte[] Quantize(Embeddings embeddings, Precision precision, ReadOnlySpan<float> calibration = default)
        {
            if (embeddings == null) throw new ArgumentNullException(nameof(embeddings));
            var output = new byte[checked(embeddings.Count * BytesPerRow(precision, embeddings.Dimension))];
            Quantize(embeddings.Values.Span, embeddings.Dimension, precision, output, calibration);
            return output;
        }

        /// <summary>The same into memory of the caller.</summary>
        public static void Quantize(ReadOnlySpan<float> embeddings, int dimension, Precision precision, Span<byte> output,
            ReadOnlySpan<float> calibration = default)
        {
            NativeLoader.Require();
            int rows = Rows.Count(embeddings, dimension, nameof(embeddings));
            if (calibration.Length != 0 && calibration.Length != 2L * dimension)
                throw new ArgumentException("A calibration has " + 2L * dimension + " floats, not " + calibration.Length + ".", nameof(calibration));
            fixed (float* start = embeddings, ranges = calibration)
            fixed (byte* bytes = output)
                Native.cs_quantize(start, rows, dimension, (int)precision, ranges, bytes, output.Length);
        }
    }
}
