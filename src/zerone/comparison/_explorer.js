"use strict";
// The rule that is best for a point of use, chosen as `retarget` chooses it: from the held-out
// scores along several directions. Numbers are equal to those of Python.
(() => {
  const source = document.getElementById("explorer-data");
  if (source === null) return;
  const data = JSON.parse(source.textContent);
  const part = name => document.querySelector(`[data-part="${name}"]`);
  const trained = data.priors[0];
  const start = { ratio: data.start.ratio, prevalence: null, limit: data.start.limit, moved: null };
  const state = { ...start };

  // -- choosing ----------------------------------------------------------------------------------

  for (const own of data.directions) {
    own.cuts = [-Infinity, ...own.thresholds, Infinity];
    own.gaps = own.cuts.map((_, cut) =>
      cut === 0 || cut === own.values.length ? Infinity : own.values[cut] - own.values[cut - 1]);
  }

  // Of thresholds with the lowest loss the one in the widest gap, then the one nearest to zero.
  function bestCut(losses, own) {
    const size = Math.max(...losses.map(Math.abs)), least = Math.min(...losses);
    const tied = losses.map(loss => loss <= least + 1e-12 * size);
    const widest = Math.max(...own.gaps.map((gap, cut) => tied[cut] ? gap : -1));
    let best = -1, nearest = Infinity;
    own.cuts.forEach((threshold, cut) => {
      const distance = Math.min(Math.abs(threshold), Number.MAX_VALUE);
      if (tied[cut] && own.gaps[cut] >= (1 - 1e-9) * widest && distance < nearest) {
        best = cut;
        nearest = distance;
      }
    });
    return best;
  }

  function bestRule(lossOf) {
    let found = null;
    data.directions.forEach((own, direction) => {
      const losses = own.cuts.map((_, cut) => lossOf(own.missed[cut], own.alarms[cut]));
      const cut = bestCut(losses, own);
      if (found === null || losses[cut] < found.loss) found = { direction, cut, loss: losses[cut] };
    });
    return found;
  }

  // The costs that stand for a cost ratio and a prevalence, given the classes of training.
  function costs() {
    const share = state.prevalence === null ? trained : state.prevalence;
    if (state.prevalence === null) return { share, missed: state.ratio, alarm: 1 };
    return {
      share,
      missed: state.ratio * share / trained,
      alarm: (1 - share) / data.priors[1],
    };
  }

  function chosen() {
    const cost = costs();
    const weights = [data.priors[0] * cost.missed, data.priors[1] * cost.alarm];
    const lossOf = (missed, alarms) => weights[0] * missed + weights[1] * alarms;
    const limit = state.limit;
    let rule = bestRule(lossOf), atLimit = false;
    if (limit !== null && data.directions[rule.direction].alarms[rule.cut] - limit > 1e-9) {
      atLimit = true;
      rule = bestRule((missed, alarms) => alarms - limit <= 1e-9 ? missed : 1 + alarms - limit);
    }
    return { ...rule, atLimit, cost, lossOf };
  }

  // Position of the threshold that a score is compared with.
  function cutAt(own, threshold) {
    let cut = 0;
    while (own.cuts[cut] < threshold) cut += 1;
    return cut;
  }

  function interceptAt(own, threshold) {
    if (threshold === -Infinity) return own.ends[0];
    if (threshold === Infinity) return own.ends[1];
    return own.at_zero - data.sign * threshold * own.scale;
  }

  // A threshold among the rows, also in place of one beyond all of them.
  function finite(own, threshold) {
    if (Number.isFinite(threshold)) return threshold;
    if (own.thresholds.length === 0) return 0;
    return own.thresholds[threshold < 0 ? 0 : own.thresholds.length - 1];
  }

  // The chosen rule, or the same direction with a threshold that was moved by hand.
  function current() {
    const rule = chosen(), own = data.directions[rule.direction];
    const best = own.cuts[rule.cut];
    let { cut } = rule, intercept = interceptAt(own, best);
    if (state.moved !== null) {
      const first = finite(own, best);
      cut = cutAt(own, first + state.moved / own.scale);
      intercept = interceptAt(own, first) - data.sign * state.moved;
    }
    const missed = own.missed[cut], alarms = own.alarms[cut];
    return { ...rule, own, cut, intercept, missed, alarms, loss: rule.lossOf(missed, alarms),
      best: rule.lossOf(own.missed[rule.cut], own.alarms[rule.cut]) };
  }

  // The Wilson interval of a share of some rows, at 95 %.
  function wilson(share, size) {
    const z = 1.959963984540054, square = z * z / size;
    const middle = (share + square / 2) / (1 + square);
    const half = z * Math.sqrt(share * (1 - share) / size + square / (4 * size)) / (1 + square);
    return [Math.max(0, middle - half), Math.min(1, middle + half)];
  }

  // -- showing -----------------------------------------------------------------------------------

  const percent = share => `${(100 * share).toFixed(1)}%`;
  const number = value => String(Number(value.toPrecision(4)));
  const between = ends => `${percent(ends[0])} to ${percent(ends[1])}`;

  function put(name, value, text) {
    const element = part(name);
    element.textContent = text;
    element.dataset.value = value;
  }

  function showFigures(rule) {
    const { share } = rule.cost, [positives, negatives] = data.counts;
    const found = 1 - rule.missed;
    const rows = {
      "true-positive": share * found, "false-negative": share * rule.missed,
      "false-positive": (1 - share) * rule.alarms, "true-negative": (1 - share) * (1 - rule.alarms),
    };
    for (const [name, value] of Object.entries(rows)) {
      put(name, 1000 * value, (1000 * value).toFixed(1));
    }
    put("recall", found, percent(found));
    put("recall-interval", "", between(wilson(found, positives)));
    put("false-positive-rate", rule.alarms, percent(rule.alarms));
    put("false-positive-interval", "", between(wilson(rule.alarms, negatives)));
    const named = rows["true-positive"] + rows["false-positive"];
    put("precision", named > 0 ? rows["true-positive"] / named : NaN,
      named > 0 ? percent(rows["true-positive"] / named) : "–");
    const wrong = rows["false-negative"] + rows["false-positive"];
    put("error", wrong, percent(wrong));
    put("cost", rule.loss, number(1000 * rule.loss));
    const first = data.directions[0];
    const before = rule.lossOf(first.missed[data.fitted], first.alarms[data.fitted]);
    put("cost-fitted", before, number(1000 * before));
    put("cost-never", rule.lossOf(1, 0), number(1000 * rule.lossOf(1, 0)));
    put("cost-always", rule.lossOf(0, 1), number(1000 * rule.lossOf(0, 1)));
  }

  function showWeights(rule) {
    const signed = value => (value > 0 ? "+" : "") + value.toFixed(3);
    data.weights.names.forEach((_, place) => {
      for (const [name, direction] of [["weight-fitted", 0], ["weight", rule.direction]]) {
        const value = data.weights.directions[direction][place];
        put(`${name}-${place}`, value, signed(value));
      }
    });
  }

  function describe(rule) {
    const which = `direction ${rule.direction + 1} of ${data.directions.length}`;
    let how = `The best rule for this point has ${which}`;
    if (rule.atLimit) how = `The limit decides: of the rules that keep it, ${which} finds most`;
    const threshold = rule.own.cuts[rule.cut];
    if (state.moved !== null) {
      const more = 1000 * (rule.loss - rule.best);
      const than = more < 0 ? `${number(-more)} less` : `${number(more)} more`;
      how = `The threshold of ${which} is moved by hand, which costs ${than} per 1,000 rows`;
    } else if (!Number.isFinite(threshold)) {
      const label = threshold < 0 ? data.positive : data.negative;
      how = `Predicting ${label} for every row is best here`;
    }
    return `${how}. It finds ${percent(1 - rule.missed)} of class ${data.positive}, has a ` +
      `false-positive rate of ${percent(rule.alarms)}, and costs ${number(1000 * rule.loss)} per ` +
      "1,000 rows.";
  }

  // What draws a chart whose axes go from zero to one.
  function charted(id) {
    const svg = document.getElementById(id);
    const [left, top, width, height] = svg.dataset.plot.split(" ").map(Number);
    const at = ([x, y]) => `${(left + width * x).toFixed(1)} ${(top + height * (1 - y)).toFixed(1)}`;
    const path = points => points.length ? `M${points.map(at).join("L")}` : "";
    return (name, points, closes) => {
      const element = svg.querySelector(`[data-name="${name}"]`);
      if (element.tagName !== "circle") {
        element.setAttribute("d", path(points) + (closes ? "Z" : ""));
        return;
      }
      element.style.display = points.length ? "" : "none";
      if (points.length === 0) return;
      const [x, y] = at(points[0]).split(" ");
      element.setAttribute("cx", x);
      element.setAttribute("cy", y);
      element.setAttribute("r", 6);
    };
  }

  const roc = charted("explorer-roc"), precisions = charted("explorer-precision");

  function showCharts(rule) {
    const { own } = rule, { share } = rule.cost, [positives] = data.counts;
    const points = own.cuts.map((_, cut) => [own.alarms[cut], 1 - own.missed[cut]]);
    const band = points.map(([x, y]) => [x, wilson(y, positives)]);
    const low = band.map(([x, ends]) => [x, ends[0]]);
    const high = band.map(([x, ends]) => [x, ends[1]]).reverse();
    roc("band", [...low, ...high], true);
    roc("curve", points);
    roc("limit", state.limit === null ? [] : [[state.limit, 0], [state.limit, 1]]);
    roc("chosen", [[rule.alarms, 1 - rule.missed]]);
    const first = data.directions[0];
    roc("fitted", [[first.alarms[data.fitted], 1 - first.missed[data.fitted]]]);
    const at = (recall, alarms) => {
      const right = share * recall, wrong = (1 - share) * alarms;
      return right + wrong > 0 ? [[recall, right / (right + wrong)]] : [];
    };
    const precision = own.cuts.flatMap((_, cut) => at(1 - own.missed[cut], own.alarms[cut]));
    precisions("curve", precision);
    precisions("chance", [[0, share], [1, share]]);
    precisions("chosen", at(1 - rule.missed, rule.alarms));
    precisions("fitted", at(1 - first.missed[data.fitted], first.alarms[data.fitted]));
  }

  function retargeted(rule) {
    if (rule.atLimit) return ["true_positive_rate", { max_false_positive_rate: state.limit }];
    return ["cost",
      { false_negative_cost: rule.cost.missed, false_positive_cost: rule.cost.alarm }];
  }

  function showRecipe(rule) {
    const [metric, parameters] = retargeted(rule), given = Object.entries(parameters);
    const options = given.map(([name, value]) => ` --${name.replaceAll("_", "-")} ${value}`);
    const command = `zerone retarget model.zerone --metric ${metric}${options.join("")}` +
      " --output chosen.zerone";
    let python = `rule = classifier.retarget("${metric}", ` +
      `${given.map(([name, value]) => `${name}=${value}`).join(", ")})`;
    if (state.moved !== null) {
      const sign = data.sign > 0 ? ">" : "<";
      python += `\n# with the threshold that was moved by hand: the class ${data.positive}\n` +
        `is_positive = rule.decision_function(rows) ${sign} ${data.sign * state.moved}`;
    }
    const moved = state.moved === null ? "" :
      "\n# The threshold that was moved by hand has no command; take the SQL or the Python.";
    put("command", command, `${data.fit_command}\n${command}${moved}`);
    put("python", "", `${data.fit_python}\n${python}`);
    put("sql", rule.intercept, expression(rule));
  }

  function expression(rule) {
    if (data.sql === null) return "The command zerone export says whether SQL can read these columns.";
    const zero = "((0.00000000000000000e+00)";
    const score = data.sql[rule.direction].replace(zero, `((${rule.intercept.toExponential(17)})`);
    const [first, second] = data.literals;
    return `CASE WHEN ${score} > 0 THEN ${second} WHEN ${score} <= 0 THEN ${first} END`;
  }

  let announcing = 0;
  function show() {
    const rule = current();
    const root = document.getElementById("explorer");
    root.dataset.direction = rule.direction;
    root.dataset.intercept = rule.intercept;
    root.dataset.missed = rule.missed;
    const told = describe(rule);
    part("told").textContent = told;
    showFigures(rule);
    showWeights(rule);
    showCharts(rule);
    showRecipe(rule);
    showControls();
    // Screen readers are told once a slider rests.
    clearTimeout(announcing);
    announcing = setTimeout(() => { part("status").textContent = told; }, 500);
  }

  // -- controls ----------------------------------------------------------------------------------

  const rounded = value => Number(value.toPrecision(3));
  const logit = share => Math.log(share / (1 - share));
  const controls = {
    ratio: {
      fromSlider: place => rounded(10 ** place), toSlider: Math.log10,
      fromBox: value => value, toBox: value => value, isAllowed: value => value > 0 && value < 1e9,
      read: () => state.ratio, write: value => { state.ratio = value; },
      words: value => `${value} to 1`,
    },
    prevalence: {
      fromSlider: place => rounded(1 / (1 + Math.exp(-place))), toSlider: logit,
      fromBox: value => value / 100, toBox: value => Number((100 * value).toPrecision(5)),
      isAllowed: value => value > 0 && value < 1,
      read: () => state.prevalence === null ? trained : state.prevalence,
      write: value => { state.prevalence = value; },
      words: percent,
    },
    limit: {
      fromSlider: place => rounded(10 ** place), toSlider: Math.log10,
      fromBox: value => value / 100, toBox: value => Number((100 * value).toPrecision(5)),
      isAllowed: value => value > 0 && value < 1,
      read: () => state.limit, write: value => { state.limit = value; },
      words: percent,
    },
    moved: {
      fromSlider: place => place, toSlider: value => value,
      fromBox: value => value, toBox: value => Number(value.toPrecision(5)),
      isAllowed: value => Number.isFinite(value),
      read: () => state.moved === null ? 0 : state.moved,
      write: value => { state.moved = value === 0 ? null : value; },
      words: value => `${value} standard deviations from the best`,
    },
  };

  for (const [name, control] of Object.entries(controls)) {
    control.slider = part(`${name}-slider`);
    control.box = part(`${name}-box`);
    control.slider.addEventListener("input", () => {
      change(name, control.fromSlider(Number(control.slider.value)));
    });
    control.box.addEventListener("input", () => {
      const value = control.fromBox(Number(control.box.value));
      const isAllowed = control.box.value.trim() !== "" && control.isAllowed(value);
      control.box.setAttribute("aria-invalid", String(!isAllowed));
      if (isAllowed) change(name, value);
    });
  }

  function change(name, value) {
    // The threshold is that of the best rule again when the point moves.
    if (name !== "moved") state.moved = null;
    controls[name].write(value);
    show();
  }

  const limits = part("has-limit");
  limits.addEventListener("change", () => {
    state.limit = limits.checked ? 0.05 : null;
    state.moved = null;
    show();
  });

  part("reset").addEventListener("click", () => {
    Object.assign(state, start);
    show();
  });

  function showControls() {
    limits.checked = state.limit !== null;
    for (const [name, control] of Object.entries(controls)) {
      const isOff = name === "limit" && state.limit === null;
      control.slider.disabled = control.box.disabled = isOff;
      if (isOff) continue;
      const value = control.read();
      // What is being written or dragged is left as it is.
      if (document.activeElement !== control.box) {
        control.box.value = control.toBox(value);
        control.box.setAttribute("aria-invalid", "false");
      }
      if (document.activeElement !== control.slider || name === "moved") {
        control.slider.value = control.toSlider(value);
      }
      control.slider.setAttribute("aria-valuetext", control.words(value));
    }
  }

  show();
})();
