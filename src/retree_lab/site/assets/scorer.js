// Which pages the search names first: titles of the guide and of the estimators that have the word,
// then the other pages of both, the sources last.
"use strict";

const places = { estimators: 45, api: 40, guide: 15, gallery: 10, source: -20 };
// Of equally good ones these.
const favourites = { "api/CartClassifier": 2, "api/C45Classifier": 1 };
const asked = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().split(/\s+/);

function named([page, title, , , score]) {
  const inTitle = asked.filter((word) => title.toLowerCase().includes(word)).length;
  const place = places[page.split("/")[0]] ?? 0;
  return score + place + (place >= places.guide ? 60 : 5) * inTitle + (favourites[page] ?? 0);
}

var Scorer = {
  score: named,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
