"""The statistics that training needs: weight, mean and covariance of every class.

The population form of the covariance (divided by the class weight) is used everywhere.
The format of saved moments is described in `zerone.moments._file`.
"""

from zerone.moments._by_cell import moments_by_cell
from zerone.moments._class_moments import ClassMoments
from zerone.moments._covariance import Covariance
from zerone.moments._dense_kernel import dense_moments
from zerone.moments._explicit import ExplicitCovariance
from zerone.moments._factored import FactoredCovariance
from zerone.moments._from_batch import chosen_kind
from zerone.moments._groups import ListedGroups
from zerone.moments._implicit import ImplicitCovariance
from zerone.moments._moments import Moments
from zerone.moments._pair import TwoClassMoments, as_pair, checked_priors
from zerone.moments._scan import ScanError, scan

__all__ = [
    "ClassMoments",
    "Covariance",
    "ExplicitCovariance",
    "FactoredCovariance",
    "ImplicitCovariance",
    "ListedGroups",
    "Moments",
    "ScanError",
    "TwoClassMoments",
    "as_pair",
    "checked_priors",
    "chosen_kind",
    "dense_moments",
    "moments_by_cell",
    "scan",
]
