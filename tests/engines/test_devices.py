"""Rows of other array libraries: summed where they are, and results come back there."""

import os
import pickle

import array_api_strict
import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.model_selection import KFold
from tests.engines.guide import run_guide
from tests.helpers import assert_same_classifier, gaussian_rows

from zerone import AUCClassifier, Moments, ZeroOneClassifier, load_model
from zerone._data.device_batch import read_device_batch
from zerone._data.devices import device_of, to_host
from zerone._kernels import device as _device_kernel
from zerone._kernels.device import device_moments
from zerone.estimators import _classifier, _fit_rows
from zerone.estimators._state import on_host

pytestmark = pytest.mark.skipif(
    os.environ.get("SCIPY_ARRAY_API") != "1", reason="SCIPY_ARRAY_API=1 is not set"
)

DEVICE = array_api_strict.Device("device1")


@pytest.fixture(autouse=True)
def dispatch():
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.fixture(params=["strict", pytest.param("torch", marks=pytest.mark.engines)])
def there(request):
    """A function that brings arrays to a library: to a device that NumPy cannot read, or torch."""
    if request.param == "strict":
        return lambda array: array_api_strict.asarray(array, device=DEVICE)
    return pytest.importorskip("torch").asarray


def on_device(array):
    return array_api_strict.asarray(array, device=DEVICE)


def refine_on(monkeypatch, max_values):
    """Refine arrays on a device on so many numbers."""
    monkeypatch.setattr(_fit_rows, "REFINED_VALUES", max_values)
    monkeypatch.setattr(_classifier, "REFINED_VALUES", max_values)


def moments_there(there, X, y, **given):
    """The moments of rows, by the kernel for devices, wherever they are."""
    batch = read_device_batch(there(X), y, **given)
    return device_moments(batch)


def assert_close(found, expected, tolerance):
    assert found.classes.tolist() == expected.classes.tolist()
    for label, m in expected.items():
        own, scale = found[label], np.sqrt(np.asarray(m.covariance).diagonal())
        scale[scale == 0] = 1.0
        assert_allclose(own.weight, m.weight, rtol=tolerance)
        assert_allclose((own.mean - m.mean) / scale, 0, atol=tolerance)
        difference = np.asarray(own.covariance) - np.asarray(m.covariance)
        assert_allclose(difference / np.outer(scale, scale), 0, atol=tolerance)


class TestKernel:
    @pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 2e-6)])
    @pytest.mark.parametrize("offset", [0, 3, 1000])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_equals_that_of_the_host(self, rng, there, dtype, tolerance, offset, weighted):
        X = (rng.normal(size=(3000, 5)) * [1, 2, 0.1, 5, 1] + offset).astype(dtype)
        y = rng.integers(3, size=3000)
        weights = rng.integers(0, 4, 3000).astype(float) if weighted else None
        expected = Moments.from_data(X.astype(float), y, sample_weight=weights)
        found = moments_there(
            there, X, there(y), sample_weight=None if weights is None else there(weights)
        )
        assert_close(found, expected, tolerance)

    @pytest.mark.parametrize(
        "labels",
        [
            np.arange(500) % 40,
            (np.arange(500) % 40) * 1000 - 7,
            np.arange(500) % 2 == 0,
            np.arange(500, dtype=np.int8) % 3,
        ],
    )
    def test_labels_of_every_kind_stay_there(self, rng, there, labels):
        X = rng.normal(size=(500, 3))
        weights = (np.arange(500) % 7).astype(float)
        expected = Moments.from_data(X, labels, sample_weight=weights)
        found = moments_there(there, X, there(labels), sample_weight=there(weights))
        assert_close(found, expected, 1e-12)
        assert read_device_batch(there(X), there(labels)).classes.dtype == labels.dtype

    def test_labels_from_elsewhere(self, rng, there):
        X, y = rng.normal(size=(60, 2)), rng.choice(["no", "yes"], 60)
        assert_close(moments_there(there, X, y), Moments.from_data(X, y), 1e-12)
        assert_close(moments_there(there, X, y.tolist()), Moments.from_data(X, y), 1e-12)
        known = moments_there(there, X, there(np.ones(60, int)), classes=[0, 1, 2])
        assert [m.weight for m in known.values()] == [0, 60, 0]
        with pytest.raises(ValueError, match="found the label 1, which is not among"):
            moments_there(there, X, there(np.ones(60, int)), classes=[0, 2])

    @pytest.mark.parametrize("dtype", ["int32", "uint8", "bool"])
    def test_rows_of_every_type(self, rng, there, dtype):
        X = rng.integers(0, 9, (200, 3)) > 4 if dtype == "bool" else rng.integers(0, 9, (200, 3))
        y = rng.integers(2, size=200)
        expected = Moments.from_data(X.astype(float), y)
        assert_close(moments_there(there, X.astype(dtype), there(y)), expected, 1e-6)

    def test_a_label_at_the_end_of_its_type(self, rng, there):
        y = 2**63 - 1 - np.arange(200) % 20
        X = rng.normal(size=(200, 2))
        assert_close(moments_there(there, X, there(y)), Moments.from_data(X, y), 1e-12)

    def test_rows_of_weight_zero_are_absent(self, rng, there):
        X, y = rng.normal(size=(300, 2)), np.arange(300) % 3
        weights = (y != 2).astype(float)
        X[y == 2] = np.nan
        found = moments_there(there, X, there(y), sample_weight=there(weights))
        assert found.classes.tolist() == [0, 1]
        assert_close(found, Moments.from_data(X, y, sample_weight=weights), 1e-12)

    @pytest.mark.parametrize("scale", [1e-25, 1e-18, 1e18, 1e22])
    def test_scales_beyond_single_precision(self, rng, there, scale):
        X = (rng.normal(size=(500, 3)) * [1, scale, 1]).astype(np.float32)
        X[:, 0] = 7  # a constant is no reason for doubt
        y = np.arange(500) % 2
        assert_close(moments_there(there, X, there(y)), Moments.from_data(X, y), 2e-6)

    @pytest.mark.parametrize("scale", [1e-95, 1e80])
    def test_weights_beyond_single_precision(self, rng, there, scale):
        X, y = rng.normal(size=(500, 3)).astype(np.float32), np.arange(500) % 2
        weights = scale * rng.uniform(0, 2, 500)
        expected = Moments.from_data(X, y, sample_weight=weights)
        assert_close(moments_there(there, X, y, sample_weight=weights), expected, 2e-6)

    def test_a_sample_that_misleads(self, rng, there):
        X = rng.normal(size=(25_600, 2)).astype(np.float32)
        X[::100] += 1e4  # just the rows that the shift is taken from
        y = np.zeros(25_600, dtype=int)
        assert_close(moments_there(there, X, there(y)), Moments.from_data(X, y), 1e-6)

    def test_blocks_that_do_not_come_out_even(self, rng, there, monkeypatch):
        monkeypatch.setattr(_device_kernel, "_BLOCK_ROWS", 7)
        monkeypatch.setattr(_device_kernel, "_BLOCK_ROWS_MINIMUM", 7)
        X, y = rng.normal(size=(100, 3)) + 5, rng.integers(2, size=100)
        assert_close(moments_there(there, X, there(y)), Moments.from_data(X, y), 1e-12)

    def test_bad_values_are_named(self, there):
        X, y = np.ones((20, 3)), there(np.arange(20) % 2)
        X[7, 1] = np.nan
        with pytest.raises(ValueError, match="feature 1 contains NaN"):
            moments_there(there, X, y)
        for weights, problem in [
            (-np.ones(20), "cannot be negative"),
            (np.full(20, np.inf), "contains NaN or infinity"),
            (np.zeros(20), "all sample weights are zero"),
            (np.ones(19), r"has shape \(19,\)"),
        ]:
            with pytest.raises(ValueError, match=problem):
                moments_there(there, np.ones((20, 3)), y, sample_weight=there(weights))
        with pytest.raises(ValueError, match="got 20 labels for 19 rows"):
            moments_there(there, np.ones((19, 3)), y)
        with pytest.raises(ValueError, match="2-D"):
            moments_there(there, np.ones(20), y)
        with pytest.raises(TypeError, match="complex128"):
            moments_there(there, np.ones((20, 3), dtype=complex), y)

    def test_covariances_are_explicit(self):
        with pytest.raises(ValueError, match="covariance: got 'factored'"):
            Moments.from_data(on_device(np.eye(3)), [0, 1, 1], covariance="factored")


class OutOfMemoryError(RuntimeError):
    """What torch and cupy call it."""


class TestLittleMemory:
    def limited_to(self, monkeypatch, n_rows):
        asked = []

        def gathered(batch, chosen, *given):
            asked.append(chosen.shape[0])
            if chosen.shape[0] > n_rows:
                raise OutOfMemoryError
            return plain(batch, chosen, *given)

        plain = _device_kernel.gathered
        monkeypatch.setattr(_device_kernel, "gathered", gathered)
        monkeypatch.setattr(_device_kernel, "_BLOCK_ROWS_MINIMUM", 16)
        monkeypatch.setattr(_device_kernel, "_BLOCK_ROWS", 1024)
        return asked

    def test_shorter_blocks_are_tried(self, rng, monkeypatch):
        asked = self.limited_to(monkeypatch, 100)
        X, y = rng.normal(size=(2000, 3)), rng.integers(2, size=2000)
        found = Moments.from_data(on_device(X), on_device(y))
        assert_close(found, Moments.from_data(X, y), 1e-12)
        assert max(asked) > 100
        assert 64 in asked

    def test_none_at_all_is_a_clear_error(self, rng, monkeypatch):
        X, y = rng.normal(size=(200, 3)), rng.integers(2, size=200)
        classifier = ZeroOneClassifier(refine=None).fit(on_device(X), on_device(y))
        before = dict(vars(classifier))
        self.limited_to(monkeypatch, 0)
        with pytest.raises(MemoryError, match=r"array_api_strict on .*device1.* no memory left"):
            classifier.fit(on_device(X), on_device(y))
        assert vars(classifier) == before


class TestFitting:
    @pytest.mark.parametrize("cls", [ZeroOneClassifier, AUCClassifier])
    @pytest.mark.parametrize("refine", ["auto", None])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_results_follow_the_rows(self, there, cls, refine, classes):
        X, y, _ = gaussian_rows(0, classes=classes)
        with sklearn.config_context(array_api_dispatch=False):
            expected = cls(refine=refine).fit(X, y)
        rows, labels = there(X), there(y)
        found = cls(refine=refine).fit(rows, labels)
        assert device_of(found.coef_) == device_of(rows)
        assert device_of(found.intercept_) == device_of(rows)
        assert_same_classifier(on_host(found), expected)
        # scikit-learn computes it in single precision for some libraries.
        assert found.score(rows, labels) == pytest.approx(expected.score(X, y), abs=1e-6)
        for method in ("decision_function", "predict", "predict_proba", "predict_log_proba"):
            said = getattr(found, method)(rows)
            assert device_of(said) == device_of(rows)
            assert_allclose(to_host(said), getattr(expected, method)(X), atol=1e-9)

    def test_text_labels_stay_text(self, there):
        X, y, _ = gaussian_rows(1)
        labels = np.array(["no", "yes"])[y]
        found = ZeroOneClassifier(refine=None).fit(there(X), labels)
        assert isinstance(found.predict(there(X)), np.ndarray)
        assert set(found.predict(there(X))) == {"no", "yes"}
        assert device_of(found.decision_function(there(X))) == device_of(there(X))

    def test_a_large_array_is_refined_on_a_sample(self, monkeypatch, samples):
        X, y, rng = gaussian_rows(2, n=5000)
        X[y == 0] **= 3
        refine_on(monkeypatch, 1500)
        first = ZeroOneClassifier().fit(on_device(X), on_device(y))
        again = ZeroOneClassifier().fit(on_device(X), on_device(y))
        assert first.refine_ == "polish"
        assert samples[0].rows.shape == samples[1].rows.shape
        assert 300 < samples[0].rows.shape[0] < 700
        assert samples[0].weight == pytest.approx(5000)
        assert_same_classifier(on_host(again), on_host(first), 1e-12)
        weights = rng.integers(0, 3, 5000).astype(float)
        weighted = ZeroOneClassifier().fit(on_device(X), on_device(y), on_device(weights))
        assert weighted.moments_.weight == weights.sum()

    def test_a_sample_keeps_the_order_of_rows(self, monkeypatch, samples):
        X, y, _ = gaussian_rows(8, n=2000)
        X[:, 0] = np.arange(2000)
        refine_on(monkeypatch, 1500)
        ZeroOneClassifier(cv=KFold(2)).fit(on_device(X), on_device(y))
        (sample,) = samples
        assert (np.diff(sample.rows[:, 0]) > 0).all()
        assert (sample.classes[sample.codes] == y[sample.rows[:, 0].astype(int)]).all()
        splits = [(np.arange(1000), np.arange(1000, 2000)), (np.arange(1000, 2000), np.arange(9))]
        with pytest.raises(ValueError, match="cv: gives positions of rows"):
            ZeroOneClassifier(cv=splits).fit(on_device(X), on_device(y))

    @pytest.mark.parametrize("refine", ["auto", None])
    def test_parameters_stay_as_they_were_given(self, there, refine):
        X, y, _ = gaussian_rows(9)
        numbers = np.arange(120)
        cv = [(numbers[numbers % 3 != k], numbers[numbers % 3 == k]) for k in range(3)]
        weight = {0: 1.0, 1: 2.0}
        found = ZeroOneClassifier(cv=cv, class_weight=weight, refine=refine)
        copies = [found.fit(there(X), there(y)), found.retarget("f1"), on_host(found)]
        for one in copies:
            assert one.cv is cv
            assert one.class_weight is weight
        assert len(cv) == 3
        assert all(type(part) is np.ndarray for split in cv for part in split)
        assert all((a == np.flatnonzero(numbers % 3 != k)).all() for k, (a, _) in enumerate(cv))
        # So they do with an array as one of them.
        folds = np.array([[numbers[:60], numbers[60:]], [numbers[60:], numbers[:60]]])
        found = ZeroOneClassifier(cv=folds, refine=refine).fit(there(X), there(y))
        assert found.cv is folds
        assert device_of(found.coef_) == device_of(there(X))
        assert on_host(found).cv is folds

    def test_numbers_that_are_no_classes(self, rng, there):
        with pytest.raises(ValueError, match="Unknown label type"):
            ZeroOneClassifier(refine=None).fit(there(np.eye(9)), there(rng.normal(size=9)))

    def test_batches_add_up(self, there):
        X, y, _ = gaussian_rows(3)
        whole = ZeroOneClassifier(refine=None).fit(there(X), there(y))
        parts = ZeroOneClassifier()
        for start in range(0, 120, 40):
            part = slice(start, start + 40)
            parts.partial_fit(there(X[part]), there(y[part]), classes=[0, 1])
        assert device_of(parts.coef_) == device_of(there(X))
        assert_same_classifier(on_host(parts), on_host(whole))

    def test_retargeting_stays_there(self, there):
        X, y, _ = gaussian_rows(4)
        found = ZeroOneClassifier().fit(there(X), there(y)).retarget("balanced_error")
        assert device_of(found.coef_) == device_of(there(X))
        assert device_of(found.predict(there(X))) == device_of(there(X))

    def test_files_and_copies(self, there, tmp_path):
        X, y, _ = gaussian_rows(5)
        found = ZeroOneClassifier().fit(there(X), there(y))
        found.save(tmp_path / "m.zerone")
        loaded = load_model(tmp_path / "m.zerone")
        assert isinstance(loaded.coef_, np.ndarray)
        assert (loaded.predict(X) == to_host(found.predict(there(X)))).all()
        copied = pickle.loads(pickle.dumps(found))
        assert (to_host(copied.predict(there(X))) == loaded.predict(X)).all()
        assert found.to_onnx("float64").graph.output[0].name == "label"

    def test_without_dispatch(self, there):
        X, y, _ = gaussian_rows(6)
        found = ZeroOneClassifier().fit(there(X), there(y))
        with sklearn.config_context(array_api_dispatch=False):
            assert isinstance(found.predict(X), np.ndarray)
            with pytest.raises(TypeError, match="dispatch is off; switch it on"):
                ZeroOneClassifier().fit(on_device(X), y)
            at_home = ZeroOneClassifier().fit(X, y)
        with pytest.raises(ValueError, match=r"ZeroOneClassifier\.predict\(\) must use the same"):
            at_home.predict(there(X))
        with pytest.raises(ValueError, match=r"that was .* and X is numpy"):
            found.predict_proba(X)

    def test_bad_rows_to_predict(self, there):
        X, y, _ = gaussian_rows(7)
        found = ZeroOneClassifier().fit(there(X), there(y))
        with pytest.raises(ValueError, match="expecting 3 features"):
            found.predict(there(X[:, :2]))
        with pytest.raises(ValueError, match="Found array with 0 sample"):
            found.predict(there(X[:0]))
        X[3, 1] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            found.predict(there(X))


@pytest.mark.engines
class TestTorch:
    def test_precision_that_users_gave_up_is_kept_here(self, rng, monkeypatch):
        torch = pytest.importorskip("torch")
        torch.set_float32_matmul_precision("medium")
        try:
            X, y = rng.normal(size=(500, 4)).astype(np.float32), rng.integers(2, size=500)
            plain, seen = _device_kernel.gathered, []

            def watched(*given):
                seen.append(torch.get_float32_matmul_precision())
                return plain(*given)

            monkeypatch.setattr(_device_kernel, "gathered", watched)
            found = moments_there(torch.asarray, X, torch.asarray(y))
            assert set(seen) == {"highest"}
            assert torch.get_float32_matmul_precision() == "medium"
        finally:
            torch.set_float32_matmul_precision("highest")
        assert_close(found, Moments.from_data(X, y), 1e-6)

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
    def test_short_floats(self, rng, dtype):
        torch = pytest.importorskip("torch")
        X, y = rng.integers(0, 9, (200, 3)), rng.integers(2, size=200)
        rows = torch.asarray(X).to(getattr(torch, dtype))
        batch = read_device_batch(rows, torch.asarray(y))
        assert_close(device_moments(batch), Moments.from_data(X, y), 1e-6)

    def test_tensors_of_every_kind(self, rng):
        torch = pytest.importorskip("torch")
        X, y = rng.integers(0, 9, (50, 2)).astype(float), rng.integers(2, size=50)
        expected = Moments.from_data(X, y)
        short = torch.asarray(X).to(torch.bfloat16)
        assert_close(Moments.from_data(short, y, sample_weight=torch.ones(50)), expected, 1e-6)
        turned = torch.imag(torch.complex(torch.zeros(50, 2), torch.asarray(X).float()).conj())
        assert turned.is_neg()
        assert_close(Moments.from_data(turned, y), Moments.from_data(-X, y), 1e-6)
        with pytest.raises(TypeError, match=r"layout torch\.sparse_coo"):
            Moments.from_data(torch.asarray(X).to_sparse(), y)

    def test_gradients_do_not_matter(self, rng):
        torch = pytest.importorskip("torch")
        X, y = rng.normal(size=(50, 2)), rng.integers(2, size=50)
        rows = torch.asarray(X).requires_grad_()
        assert_close(Moments.from_data(rows, torch.asarray(y)), Moments.from_data(X, y), 1e-12)
        assert ZeroOneClassifier().fit(rows, y).predict(rows).shape == (50,)

    def test_the_guide(self):
        torch = pytest.importorskip("torch")
        assert isinstance(run_guide("torch")["classifier"].coef_, torch.Tensor)
