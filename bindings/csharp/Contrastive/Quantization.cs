// Quantization of embeddings to fewer bytes.
using System;
using Contrastive.Interop;

namespace Contrastive
{
    /// <summary>The format of quantized embeddings.</summary>
    public enum Precision
    {
        /// <summary>IEEE half precision, 2 bytes per value, in the machine's byte order; rounded to
        /// nearest, ties to even.</summary>
        Float16 = 1,
        /// <summary>1 byte per value: (x - start) / step - 128, with the start and step of its
        /// dimension. Values outside the range saturate.</summary>
        Int8 = 2,
        /// <summary>1 bit per value, which is 1 if the value is above 0. The highest bit comes
        /// first. Each row is padded with 0 to whole bytes.</summary>
        Binary = 3
    }

    /// <summary>Quantizes embeddings to fewer bytes, in the same way as numpy and
    /// sentence-transformers.</summary>
    public static unsafe class Quantization
    {
        /// <summary>The number of bytes of an embedding.</summary>
        public static int BytesPerRow(Precision precision, int dimension)
        {
            switch (precision)
            {
                case Precision.Float16: return checked(dimension * 2);
                case Precision.Int8: return dimension;
                case Precision.Binary: return (dimension + 7) / 8;
                default:
                    throw new ArgumentOutOfRangeException(nameof(precision), precision,
                        "There is no such precision.");
            }
        }

        /// <summary>Measures the range of each dimension over a sample, for
        /// <see cref="Precision.Int8"/>. Use the same calibration for a corpus and for all
        /// embeddings that are compared with it, and store it with them.
        /// </summary>
        /// <returns>[2, dimension]: the starts, then the steps.</returns>
        public static float[] Calibrate(Embeddings sample)
        {
            Guard.NotNull(sample);
            return Calibrate(sample.Values.Span, sample.Dimension);
        }

        /// <summary>Measures the ranges of [n, dimension] floats, row by row.</summary>
        public static float[] Calibrate(ReadOnlySpan<float> sample, int dimension)
        {
            NativeLoader.Require();
            int rows = Rows.Count(sample, dimension, nameof(sample));
            var calibration = new float[checked(2 * dimension)];
            fixed (float* start = sample, result = calibration)
                Native.cs_quantize_calibrate(start, rows, dimension, result, calibration.Length);
            return calibration;
        }

        /// <summary>Quantizes embeddings, row by row.</summary>
        /// <param name="embeddings">The embeddings.</param>
        /// <param name="precision">The format of the result.</param>
        /// <param name="calibration">The result of <see cref="Calibrate(Embeddings)"/>, for
        /// <see cref="Precision.Int8"/>; empty otherwise.</param>
        public static byte[] Quantize(Embeddings embeddings, Precision precision,
            ReadOnlySpan<float> calibration = default)
        {
            Guard.NotNull(embeddings);
            var output = new byte[Guard.Items(embeddings.Count,
                BytesPerRow(precision, embeddings.Dimension), "quantize fewer embeddings.")];
            Quantize(embeddings.Values.Span, embeddings.Dimension, precision, output, calibration);
            return output;
        }

        /// <summary>Quantizes embeddings into the caller's memory.</summary>
        /// <param name="embeddings">[n, dimension] row by row.</param>
        /// <param name="dimension">The number of floats in an embedding.</param>
        /// <param name="precision">The format of the result.</param>
        /// <param name="output">Receives n rows of <see cref="BytesPerRow"/> bytes. For
        /// <see cref="Precision.Float16"/> it must begin at an even address. Arrays of .NET do; a
        /// slice that begins at an odd index, or native memory, may not.</param>
        /// <param name="calibration">The result of <see cref="Calibrate(Embeddings)"/>, for
        /// <see cref="Precision.Int8"/>; empty otherwise.</param>
        public static void Quantize(ReadOnlySpan<float> embeddings, int dimension,
            Precision precision, Span<byte> output, ReadOnlySpan<float> calibration = default)
        {
            NativeLoader.Require();
            int rows = Rows.Count(embeddings, dimension, nameof(embeddings));
            if (calibration.Length != 0 && calibration.Length != 2L * dimension)
                throw new ArgumentException("A calibration has " + 2L * dimension +
                    " floats, not " + calibration.Length + ".", nameof(calibration));
            Guard.HasRoom(output.Length, (long)rows * BytesPerRow(precision, dimension),
                nameof(output));
            fixed (float* start = embeddings, ranges = calibration)
            fixed (byte* bytes = output)
            {
                if (precision == Precision.Float16 && (long)bytes % 2 != 0)
                    throw new ArgumentException("Half precision needs an even address.",
                        nameof(output));
                Native.cs_quantize(start, rows, dimension, (int)precision, ranges, bytes,
                    output.Length);
            }
        }
    }
}
