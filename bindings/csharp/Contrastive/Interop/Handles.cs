// The handles of the C API as SafeHandles. A handle is freed once, never during a call, and by the
// garbage collector if it is not disposed.
using System;
using System.Runtime.InteropServices;

namespace Contrastive.Interop
{
    /// <summary>A handle of the C API. An invalid handle is passed as NULL.</summary>
    internal abstract class NativeHandle : SafeHandle
    {
        private volatile bool disposed_;

        protected NativeHandle() : base(IntPtr.Zero, ownsHandle: true) { }

        public override bool IsInvalid => handle == IntPtr.Zero;

        /// <summary>Refuses calls after Dispose. A SafeHandle alone would accept new calls as long
        /// as others are running, which with several busy threads is forever.
        /// </summary>
        internal void ThrowIfDisposed(string owner)
        {
            if (disposed_) throw new ObjectDisposedException(owner);
        }

        protected override void Dispose(bool disposing)
        {
            disposed_ = true;
            base.Dispose(disposing);
        }
    }

    internal sealed class ConfigHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            Native.cs_config_release(handle);
            return true;
        }
    }

    internal sealed class ModelHandle : NativeHandle
    {
        /// <summary>NULL, which means no second model.</summary>
        internal static readonly ModelHandle None = new ModelHandle();

        protected override bool ReleaseHandle()
        {
            Native.cs_model_release(handle);
            return true;
        }
    }

    internal sealed class DatasetHandle : NativeHandle
    {
        /// <summary>NULL, which means that the caller provides the batches.</summary>
        internal static readonly DatasetHandle None = new DatasetHandle();

        protected override bool ReleaseHandle()
        {
            Native.cs_dataset_release(handle);
            return true;
        }
    }

    internal sealed class TrainerHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            Native.cs_trainer_release(handle);
            return true;
        }
    }

    internal sealed class CancelHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            Native.cs_cancel_release(handle);
            return true;
        }
    }
}
