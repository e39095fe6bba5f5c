"""Every real data set: size, origin, and how it is made binary."""

from dataclasses import dataclass

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"


@dataclass(frozen=True)
class Source:
    """Where the original file is and how it is read.

    Attributes
    ----------
    urls : tuple of str
        Parts of the set, one after the other.
    positive : tuple of str
        Original labels that become +1; all others become -1.
    format : str
        "libsvm", or "csv" with the label in column ``label_column``.
    label_column : int
    skip_rows : int
        Lines before the first row of a CSV file.
    """

    urls: tuple[str, ...]
    positive: tuple[str, ...]
    format: str = "libsvm"
    label_column: int = -1
    skip_rows: int = 0


@dataclass(frozen=True)
class DataSet:
    """A binary classification set.

    Attributes
    ----------
    name : str
        What `load` calls it; also the stem of its file in a data folder.
    paper_name : str or None
        What the paper's tables call it; None if the paper does not use it.
    n_rows, n_features : int
        Of the set that is loaded here.
    positives : float
        Share of the rows with label +1.
    attributes : str
        Kind of the features.
    origin : str
    binarised : str
        Which class is +1.
    source : Source or None
        None where the set can only be read from a data folder.
    is_sparse : bool
        Whether it is loaded as a sparse array.
    note : str
        Where this set differs from the paper's.
    """

    name: str
    paper_name: str | None
    n_rows: int
    n_features: int
    positives: float
    attributes: str
    origin: str
    binarised: str
    source: Source | None
    is_sparse: bool = False
    note: str = ""


def _libsvm(path: str, *more: str, positive: str = "1") -> Source:
    labels = tuple(positive.split(","))
    return Source(tuple(f"{_LIBSVM}/{part}" for part in (path, *more)), labels)


_SETS = (
    DataSet("fourclass", "fourclass", 862, 2, 0.356, "real", "LIBSVM fourclass", "as given",
            _libsvm("binary/fourclass")),
    DataSet("svmguide1", "svm1", 3089, 4, 0.353, "real", "LIBSVM svmguide1, training part",
            "original class 0, the rarer one", _libsvm("binary/svmguide1", positive="0")),
    DataSet("diabetes", "diabetes", 768, 8, 0.349, "real", "UCI Pima Indians diabetes",
            "outcome 1 (LIBSVM's -1)", _libsvm("binary/diabetes", positive="-1")),
    DataSet("shuttle", "shuttle", 43_500, 9, 0.216, "int", "UCI Statlog shuttle, training part",
            "every class but 1",
            _libsvm("multiclass/shuttle.scale", positive="2,3,4,5,6,7"),
            note="in the paper's Table 6 only"),
    DataSet("vowel", "vowel", 528, 10, 0.091, "int", "LIBSVM vowel.scale, training part",
            "class 0", _libsvm("multiclass/vowel.scale", positive="0")),
    DataSet("magic04", "magic", 19_020, 10, 0.352, "real", "UCI MAGIC gamma telescope",
            "h (hadron)", Source((f"{_UCI}/magic/magic04.data",), ("h",), "csv")),
    DataSet("poker", "poker", 25_010, 10, 0.021, "int", "UCI poker hand, training part",
            "class 3 (three of a kind)",
            Source((f"{_UCI}/poker/poker-hand-training-true.data",), ("3",), "csv"),
            note="10 features; the paper counts 11"),
    DataSet("letter", "letter", 20_000, 16, 0.039, "int", "UCI letter recognition", "A (class 1)",
            _libsvm("multiclass/letter.scale", "multiclass/letter.scale.t", positive="1")),
    DataSet("segment", "segment", 210, 19, 0.143, "real", "UCI image segmentation, training part",
            "brickface", Source((f"{_UCI}/image/segmentation.data",), ("BRICKFACE",), "csv",
                                label_column=0, skip_rows=5)),
    DataSet("svmguide3", "svm3", 1243, 22, 0.238, "real", "LIBSVM svmguide3, training part",
            "as given", _libsvm("binary/svmguide3")),
    DataSet("ijcnn1", "ijcnn1", 35_000, 22, 0.098, "real", "LIBSVM ijcnn1.tr", "as given",
            _libsvm("binary/ijcnn1.tr.bz2")),
    DataSet("german", "german", 1000, 24, 0.300, "real", "LIBSVM german.numer",
            "bad credit", _libsvm("binary/german.numer")),
    DataSet("satimage", "satimage", 4435, 36, 0.094, "int",
            "UCI Statlog Landsat, training part", "class 4 (damp grey soil)",
            _libsvm("multiclass/satimage.scale", positive="4")),
    DataSet("sonar", "sonar", 208, 60, 0.534, "real", "UCI sonar, mines and rocks", "mine",
            Source((f"{_UCI}/undocumented/connectionist-bench/sonar/sonar.all-data",),
                   ("M",), "csv")),
    DataSet("a9a", "a9a", 32_561, 123, 0.241, "binary", "LIBSVM a9a, from UCI adult", "as given",
            _libsvm("binary/a9a")),
    DataSet("w8a", "w8a", 49_749, 300, 0.030, "binary", "LIBSVM w8a", "as given",
            _libsvm("binary/w8a")),
    DataSet("mnist", "mnist", 60_000, 784, 0.099, "real", "MNIST training images", "digit 0",
            _libsvm("multiclass/mnist.bz2", positive="0"),
            note="60,000 rows and 784 pixels; the paper has 100,000 rows and 782"),
    DataSet("colon-cancer", "colon", 62, 2000, 0.355, "real", "LIBSVM colon-cancer",
            "normal tissue", _libsvm("binary/colon-cancer.bz2")),
    DataSet("gisette", "gisette", 6000, 5000, 0.5, "real", "LIBSVM gisette_scale", "as given",
            _libsvm("binary/gisette_scale.bz2")),
    DataSet("covtype", "covtype", 581_012, 54, 0.488, "binary", "UCI cover type",
            "lodgepole pine", _libsvm("binary/covtype.libsvm.binary.bz2", positive="2")),
    DataSet("rcv1", "rcv1", 20_242, 47_236, 0.518, "real", "LIBSVM rcv1_train.binary",
            "as given", _libsvm("binary/rcv1_train.binary.bz2"), is_sparse=True),
    DataSet("real-sim", "realsim", 72_309, 20_958, 0.308, "real", "LIBSVM real-sim", "as given",
            _libsvm("binary/real-sim.bz2"), is_sparse=True),
    DataSet("rcv1_small", None, 1498, 47_236, 0.470, "real",
            "two small samples of RCV1-v2", "CCAT against the rest", None, is_sparse=True),
    DataSet("spamassassin", None, 6045, 27_035, 0.313, "real",
            "SpamAssassin public corpus", "spam", None, is_sparse=True),
    DataSet("imdb", None, 25_000, 35_005, 0.500, "real",
            "Stanford large movie review set, training part", "positive review", None,
            is_sparse=True),
)  # fmt: skip

DATA_SETS: dict[str, DataSet] = {data_set.name: data_set for data_set in _SETS}
"""All real sets by name: the 21 of the paper's Table 4, shuttle, and three text sets."""
