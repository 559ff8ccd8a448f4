"""# The continuity correction of pessimistic pruning

Pessimistic pruning adds half an error to each leaf. The number of errors has a binomial
distribution, which pruning approximates by a normal distribution with the same mean and standard
deviation. The approximation is closer if its area is taken up to half an error more.
"""

# %%
# ## At most 60 errors
#
# How likely are at most 60 errors in 100 rows, if each row is an error with probability one half?
import math
from statistics import NormalDist

trials, probability, limit = 100, 0.5, 60
mass = [
    math.comb(trials, k) * probability**k * (1 - probability) ** (trials - k)
    for k in range(trials + 1)
]
normal = NormalDist(trials * probability, math.sqrt(trials * probability * (1 - probability)))
ways = {
    "binomial": math.fsum(mass[: limit + 1]),
    "normal": normal.cdf(limit),
    "normal, corrected": normal.cdf(limit + 0.5),
}
for name, value in ways.items():
    print(f"{name}: {value:.4f}")

# %%
# ## The probabilities as areas
from matplotlib import pyplot as plt

_, ax = plt.subplots()
numbers = range(34, 67)
shades = [0.55 if k <= limit else 0.2 for k in numbers]
for k, shade in zip(numbers, shades, strict=True):
    ax.bar(k, mass[k], 1.0, color="C0", alpha=shade)
places = [numbers[0] + step / 10 for step in range(10 * len(numbers))]
ax.plot(places, [normal.pdf(x) for x in places], color="C1", label="normal")
for place, dashes in ((limit, ":"), (limit + 0.5, "--")):
    ax.axvline(place, color="black", linewidth=0.8, linestyle=dashes, label=f"{place:g}")
ax.set_xlabel("number of errors")
ax.set_ylabel("probability")
_ = ax.legend()
