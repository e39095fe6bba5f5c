"""Arrays of other libraries, such as torch and cupy, and the devices they are on.

The libraries follow the Python array API standard. zerone does not import them: whoever passes an
array has imported its library already.
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

    ``xp`` is the module with the functions of the array API standard, and ``name`` the library's
    own object for the device.
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
            # Cached: libraries try one type after the other, as slow as summing a block of rows.
            types = self.xp.__array_namespace_info__().dtypes(device=self.name)
            _FLOAT_TYPES[key] = types.get("float64", self.xp.float32)
        return _FLOAT_TYPES[key]

    def bring(self, values: AnyArray) -> Any:
        """Return a copy of a NumPy array on the device; an array of strings stays as it is."""
        if values.dtype.kind not in "biuf":
            return values
        is_real = values.dtype.kind == "f"
        return self.xp.asarray(
            # A copy, because libraries warn about read-only memory.
            np.array(values),
            dtype=self.float_type if is_real and values.dtype.itemsize == 8 else None,
            device=self.name,
        )


@contextmanager
def memory_of(device: Device, advice: str) -> Iterator[None]:
    """Turn the out-of-memory errors of all libraries into one that names the device."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise MemoryError(f"X: {device} has no memory left; {advice}") from error


def is_out_of_memory(error: Exception) -> bool:
    """Whether an error of any library means that a device has no memory left."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def device_of(X: Any) -> Device | None:
    """Return the device of an array; None for NumPy arrays and for what is no array."""
    if isinstance(X, np.ndarray | np.generic) or not is_foreign(X):
        return None
    compat = _compat()
    return Device(compat.array_namespace(X), compat.device(X))


def on_host(X: Any) -> AnyArray | None:
    """Return an array of another library as a NumPy array; None if it is on a device."""
    if library_of(X) == "torch":
        return _torch_array(X) if X.device.type == "cpu" else None
    if library_of(X) == "cupy":
        return None
    try:
        return np.asarray(X)
    except (TypeError, RuntimeError, ValueError):
        # What libraries raise for memory that NumPy cannot read.
        return None


def is_on_device(X: Any) -> bool:
    """Whether ``X`` is an array in memory that NumPy cannot read."""
    return device_of(X) is not None and on_host(X) is None


def to_host(X: Any) -> AnyArray:
    """Return an array of any library as a NumPy array, copied if it is on a device."""
    if not is_foreign(X):
        return np.asarray(X)
    if library_of(X) == "torch":
        return _torch_array(X)
    if library_of(X) == "cupy":
        return np.asarray(X.get())
    seen = on_host(X)
    return np.asarray(_compat().to_device(X, _host_device(X))) if seen is None else seen


def _torch_array(X: Any) -> AnyArray:
    """Return a tensor as an array, without gradients and pending conjugations."""
    if str(X.layout) != "torch.strided":
        raise ArgumentTypeError(
            "X",
            f"is a tensor of layout {X.layout}",
            "pass a dense tensor or a scipy.sparse array",
        )
    values = X.detach().cpu().resolve_conj().resolve_neg()
    # NumPy has no bfloat16.
    return np.asarray(values.float() if str(values.dtype) == "torch.bfloat16" else values)


def _host_device(X: Any) -> Any:
    """Return the library's own object for the CPU."""
    xp = X.__array_namespace__()
    return xp.Device("CPU_DEVICE") if hasattr(xp, "Device") else "cpu"


def _compat() -> Any:
    try:
        import array_api_compat
    except ImportError as error:
        raise ImportError(
            "arrays of libraries other than NumPy need the package array-api-compat; install it "
            "with pip install 'zerone[devices]'"
        ) from error
    return array_api_compat
