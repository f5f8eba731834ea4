// The handles of the C API as SafeHandles. A handle is freed once, never during a call, and by the
// garbage collector if it is not disposed.
using System;
using System.Runtime.InteropServices;

namespace Contrastive.Interop
{
    // A handle of the C API. An invalid handle is passed as NULL.
    internal abstract class NativeHandle : SafeHandle
    {
        private volatile bool disposed_;
        private long pressure_;

        protected NativeHandle() : base(IntPtr.Zero, ownsHandle: true) { }

        public override bool IsInvalid => handle == IntPtr.Zero;

        // Refuses calls after Dispose. A SafeHandle alone would accept new calls as long as others
        // are running, which with several busy threads is forever.
        internal void ThrowIfDisposed(string owner)
        {
            if (disposed_) throw new ObjectDisposedException(owner);
        }

        // Tells the garbage collector how much native memory the handle keeps. It does not see that
        // memory, and would let forgotten objects fill the machine. Called once.
        internal void Weigh(long bytes)
        {
            if (bytes <= 0) return;
            GC.AddMemoryPressure(bytes);
            pressure_ = bytes;
        }

        protected abstract void Free();

        protected override bool ReleaseHandle()
        {
            Free();
            if (pressure_ > 0) GC.RemoveMemoryPressure(pressure_);
            return true;
        }

        protected override void Dispose(bool disposing)
        {
            disposed_ = true;
            base.Dispose(disposing);
        }
    }

    internal sealed class ConfigHandle : NativeHandle
    {
        protected override void Free() => Native.cs_config_release(handle);
    }

    internal sealed class ModelHandle : NativeHandle
    {
        // NULL, which means no second model.
        internal static readonly ModelHandle None = new ModelHandle();

        protected override void Free() => Native.cs_model_release(handle);
    }

    internal sealed class DatasetHandle : NativeHandle
    {
        // NULL, which means that the caller provides the batches.
        internal static readonly DatasetHandle None = new DatasetHandle();

        protected override void Free() => Native.cs_dataset_release(handle);
    }

    internal sealed class TrainerHandle : NativeHandle
    {
        protected override void Free() => Native.cs_trainer_release(handle);
    }

    internal sealed class CancelHandle : NativeHandle
    {
        protected override void Free() => Native.cs_cancel_release(handle);
    }
}
