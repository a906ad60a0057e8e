// A study: what is asked and kept, the panel to answer in, then the answers are sent. Until then this browser has them.

import { button, el, markup } from "./dom.js";
import { asked } from "./history.js";
import { keptIn, mountPerson } from "./person.js";

/** Show the study that the address names; `server` has the functions of leaderboard/pages/study.py. */
export async function mountStudy(root, server) {
  const study = asked().get("study");
  const told = await server.study_open(study);
  if (told.refused) {
    show(el("h1", {}, "Studies"), el("p", { role: "status" }, told.refused),
      el("p", {}, el("a", { href: "?tab=tournament" }, "Compare your own photos")));
    return;
  }
  const place = `qb-study ${study}`;
  const person = personOf(place);
  const kept = keptIn(localStorage, place, person);
  const sent = keptIn(localStorage, `${place} sent`, person).read();
  if (sent) await send(sent);
  else if (told.result) show(heading(), markup(told.result));
  else invite();

  function invite() {
    const answered = kept.read()?.answers.length ?? 0;
    const begin = answered ? `Continue after ${answered} of ${told.total} answers` : "I agree, begin";
    show(heading(), el("p", {}, told.about), el("p", {}, told.consent),
      el("div", { class: "qb-chips" },
        button(begin, ask, { class: "qb-button qb-begin" }),
        answered > 0 && somebodyElse()));
  }

  /** For the next person at the same computer. */
  function somebodyElse() {
    const anew = () => {
      for (const name of [place, `${place} sent`, `${place} person`]) localStorage.removeItem(name);
      mountStudy(root, server);
    };
    return button("Somebody else? Start again", anew);
  }

  async function ask() {
    const panel = el("div", { class: "qb qb-person" });
    show(panel);
    const plan = { question: told.question, photos: told.photos, study, person };
    await mountPerson(panel, plan, {
      kept: { ...kept, clear() {} },  // not before the server has them
      questions: () => server.study_ask({ study, person }),
      done: ({ answers, seconds }) => (answers ? send({ answers, seconds }) : invite()),
      stop: "Stop and send",
    });
  }

  async function send({ answers, seconds }) {
    show(el("p", { role: "status" }, "Sending your answers …"));
    const said = await server.study_send({ study, person, answers, seconds })
      .catch(() => ({ refused: "The answers could not be sent; this browser keeps them." }));
    if (said?.html) {
      keptIn(localStorage, `${place} sent`, person).write({ answers, seconds });
      kept.clear();
      show(heading(), markup(said.html), !told.result && somebodyElse());
    } else {
      const again = button("Send again", () => send({ answers, seconds }));
      const on = button("Continue answering", ask);
      const unfinished = answers.length < told.total && !told.result;
      show(heading(), el("p", { role: "alert" }, said?.refused ?? "The answers could not be sent."),
        el("div", { class: "qb-chips" }, again, unfinished && on));
    }
  }

  function heading() {
    return el("h1", { dir: "auto" }, told.title);
  }

  function show(...parts) {
    root.replaceChildren(el("div", { class: "qb qb-study" }, parts));
  }
}

/** The number that stands for this browser in this study. */
function personOf(place) {
  const known = localStorage.getItem(`${place} person`);
  if (known) return known;
  const drawn = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  localStorage.setItem(`${place} person`, drawn);
  return drawn;
}
