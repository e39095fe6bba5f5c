"""Where an array is: in NumPy's memory, or with another array library and on its device.

Other libraries are those of the Python array API standard, such as torch and cupy. None of them
is imported by importing zerone: an array can only be passed by somebody who has imported its
library already.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerone._data.containers import is_foreign, library_of
from zerone._errors import ArgumentTypeError
from zerone._typing import AnyArray

_FLOAT_TYPES: dict[str, Any] = {}


@dataclass(frozen=True)
class Device:
    """An array library and one of its devices.

    Attributes
    ----------
    xp : module
        The functions of the library, as the array API standard names them.
    name : object
        The device as the library has it.
    """

    xp: Any
    name: Any

    def __str__(self) -> str:
        name = self.xp.__name__.removeprefix("array_api_compat.")
        return f"{name} on {self.name}"

    @property
    def float_type(self) -> Any:
        """The most precise floating-point type of the device: float64, or float32 without it."""
        key = str(self)
        if key not in _FLOAT_TYPES:
            # Libraries try one type after the other, which takes as long as a block of rows.
            types = self.xp.__array_namespace_info__().dtypes(device=self.name)
            _FLOAT_TYPES[key] = types.get("float64", self.xp.float32)
        return _FLOAT_TYPES[key]

    def bring(self, values: AnyArray) -> Any:
        """Return a copy of a NumPy array there; labels that are not numbers stay where they are."""
        if values.dtype.kind not in "biuf":
            return values
        is_real = values.dtype.kind == "f"
        return self.xp.asarray(
            # A copy, because libraries warn of memory that must not be written.
            np.array(values),
            dtype=self.float_type if is_real and values.dtype.itemsize == 8 else None,
            device=self.name,
        )


@contextmanager
def memory_of(device: Device, advice: str) -> Iterator[None]:
    """Turn what a library says of a device without memory into one error that names it."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise MemoryError(f"X: {device} has no memory left; {advice}") from error


def is_out_of_memory(error: Exception) -> bool:
    """Whether a device had no memory left, whatever its library calls that."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def device_of(X: Any) -> Device | None:
    """Return where an array is; None for NumPy and for everything that is no array."""
    if isinstance(X, np.ndarray | np.generic) or not is_foreign(X):
        return None
    compat = _compat()
    return Device(compat.array_namespace(X), compat.device(X))


def on_host(X: Any) -> AnyArray | None:
    """Return an array of another library as NumPy sees its memory; None if it is on a device."""
    if library_of(X) == "torch":
        return _torch_array(X) if X.device.type == "cpu" else None
    if library_of(X) == "cupy":
        return None
    try:
        return np.asarray(X)
    except (TypeError, RuntimeError, ValueError):
        # What array libraries say of memory that NumPy cannot read.
        return None


def is_on_device(X: Any) -> bool:
    """Whether ``X`` is an array in memory that NumPy cannot read."""
    return device_of(X) is not None and on_host(X) is None


def to_host(X: Any) -> AnyArray:
    """Return an array of any library as one of NumPy, copied where it is on a device."""
    if not is_foreign(X):
        return np.asarray(X)
    if library_of(X) == "torch":
        return _torch_array(X)
    if library_of(X) == "cupy":
        return np.asarray(X.get())
    seen = on_host(X)
    return np.asarray(_compat().to_device(X, _host_device(X))) if seen is None else seen


def _torch_array(X: Any) -> AnyArray:
    """Return a tensor as an array, whatever torch has noted beside its numbers."""
    if str(X.layout) != "torch.strided":
        raise ArgumentTypeError(
            "X",
            f"is a tensor of layout {X.layout}",
            "pass a dense one, or an array of scipy.sparse",
        )
    values = X.detach().cpu().resolve_conj().resolve_neg()
    # NumPy does not have this type.
    return np.asarray(values.float() if str(values.dtype) == "torch.bfloat16" else values)


def _host_device(X: Any) -> Any:
    """Return a library's own name for memory that NumPy can read."""
    xp = X.__array_namespace__()
    return xp.Device("CPU_DEVICE") if hasattr(xp, "Device") else "cpu"


def _compat() -> Any:
    try:
        import array_api_compat
    except ImportError as error:
        raise ImportError(
            "arrays of other libraries than NumPy need the package array-api-compat; install it, "
            "for example with pip install 'zerone[devices]'"
        ) from error
    return array_api_compat
