// Which pages the search names first: the estimators, then the guide, the sources last.
"use strict";

const places = { api: 40, guide: 15, gallery: 10, source: -20 };
// Of equally good ones these.
const favourites = { "api/CartClassifier": 2, "api/C45Classifier": 1 };

var Scorer = {
  score: ([page, , , , score]) => score + (places[page.split("/")[0]] ?? 0) + (favourites[page] ?? 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
