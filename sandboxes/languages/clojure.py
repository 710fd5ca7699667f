"""Clojure. The tests run apart from the candidate, and call its functions with values that are sent as EDN."""

from __future__ import annotations

import re

from sandboxes.contract import Limits
from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.languages.base import Language, Recipe, SeparateRecipe, fixed_build, linked
from sandboxes.languages.comments import LISP_COMMENTS
from sandboxes.languages.compilers.jar_version import jar_version
from sandboxes.languages.java import JAVA, java_command
from sandboxes.languages.java_junit import JARS_FOLDER
from sandboxes.languages.steps import Command

DRIVER_FILE, RUNNER_FILE = "code_eval_driver.clj", "code_eval_runner.clj"
CLASS_PATH = ":".join(f"{JARS_FOLDER}/{name}.jar" for name in ("clojure", "spec.alpha", "core.specs.alpha"))

ENTRY_POINT = re.compile(r"\bcandidate\s+([^\s()\[\]{}\"']+)")
WORD = re.compile(r"[^\s()\[\]{}\"',`;\\@^~#]+")

# A message is the number of its bytes and a text of EDN. The tests' side reads data of it and runs nothing.
LINK = """\
(ns code-eval.link
  (:require [clojure.edn :as edn])
  (:import
   [java.io BufferedInputStream DataInputStream DataOutputStream EOFException FileInputStream FileOutputStream]))
(def in (DataInputStream. (BufferedInputStream. (FileInputStream. "/dev/fd/3"))))
(def out (DataOutputStream. (FileOutputStream. "/dev/fd/4")))
(defn check [value]
  (cond
    (or (nil? value) (boolean? value) (number? value) (string? value)) nil
    (or (char? value) (symbol? value) (keyword? value)) nil
    (record? value) (throw (IllegalArgumentException. (str "a " (class value) " can't be sent to the other process")))
    (map? value) (run! (fn [[key each]] (check key) (check each)) value)
    (or (sequential? value) (set? value)) (run! check value)
    :else (throw (IllegalArgumentException. (str "a " (class value) " can't be sent to the other process")))))
(defn encode [value]
  (check value)
  (binding [*print-length* nil *print-level* nil *print-meta* false *print-dup* false *print-namespace-maps* false]
    (pr-str value)))
(defn put [text]
  (let [bytes (.getBytes ^String text "UTF-8")]
    (.writeInt out (alength bytes))
    (.write out bytes)
    (.flush out)))
(defn take-message []
  (try
    (let [bytes (byte-array (.readInt in))]
      (.readFully in bytes)
      (edn/read-string (String. bytes "UTF-8")))
    (catch EOFException _ ::end)))
(defn say [^Throwable error]
  (let [cause (loop [each error] (if-let [next (.getCause each)] (recur next) each))]
    (binding [*out* *err*] (println (str "error: " (.getName (class cause)) ": " (.getMessage ^Throwable cause))))))
;; Tests may expect an error of the candidate's. One of the link's, which nobody expects, ends them.
(defn encode-or-exit [value]
  (try
    (encode value)
    (catch IllegalArgumentException error
      (if (re-find #"can't be sent to the other process" (str (.getMessage error)))
        (do (say error) (System/exit 1))
        (throw error)))))
"""

DRIVER = (
    LINK
    + """\
(defn answer [[name arguments]]
  (try
    ;; A lazy sequence may fail here.
    (encode-or-exit [:value (apply @(ns-resolve 'user (symbol name)) arguments)])
    (catch OutOfMemoryError _ (System/exit 3))
    (catch Throwable error (encode [:error (.getName (class error)) (str (.getMessage error))]))))
(defn describe [[name found]]
  (let [value @found]
    (cond
      (and (ifn? value) (not (coll? value)) (not (keyword? value)) (not (symbol? value))) [(str name) :function]
      :else (try (encode value) [(str name) :value value] (catch Throwable _ nil)))))
(take-message)
(def before (set (all-ns)))
(try
  (binding [*ns* (create-ns 'user)]
    (clojure.core/refer 'clojure.core)
    (load-file "candidate.clj"))
  (catch OutOfMemoryError _ (System/exit 3))
  (catch Throwable error (say error) (System/exit 1)))
(doseq [space (remove before (all-ns)) [name found] (ns-publics space)]
  (.refer (the-ns 'user) name found))
(put (encode (vec (keep describe (filter (fn [[_ found]] (not= (the-ns 'clojure.core) (.ns ^clojure.lang.Var found)))
                                         (filter (fn [[_ found]] (var? found)) (ns-map 'user)))))))
(loop []
  (let [call (take-message)]
    (when (= call ::end) (System/exit 0))
    (put (answer call))
    (recur)))
"""
)

RUNNER = (
    LINK
    + """\
(require 'clojure.test)
(defn lost []
  (binding [*out* *err*] (println "the candidate ended before its tests were done"))
  (System/exit %(lost_status)d))
(defn ask []
  (let [answer (take-message)] (if (= answer ::end) (lost) answer)))
(defn fail-as [type message]
  (let [known (when (re-matches #"java\\.lang\\.\\w+Exception" type)
                (try (Class/forName type) (catch ClassNotFoundException _ nil)))]
    (throw (if (and known (.isAssignableFrom RuntimeException known))
             (.newInstance (.getConstructor ^Class known (into-array Class [String])) (object-array [message]))
             (ex-info (str type ": " message) {})))))
(defn call [name arguments]
  (let [text (encode-or-exit [name (vec arguments)])]
    (try (put text) (catch java.io.IOException _ (lost)))
    (let [[kind value message] (ask)]
      (if (= kind :value) value (fail-as (str value) (str message))))))
(def counts (atom {}))
(alter-var-root
 #'clojure.test/report
 (fn [report] (fn [event] (swap! counts update (:type event) (fnil inc 0)) (report event))))
(def words #{%(words)s})
(def entry-points #{%(entry_points)s})
(def tests (slurp "tests.clj"))
(run! #(.delete (java.io.File. ^String %%)) ["tests.clj" "%(runner_file)s"])
(put "true")
(def status
  (try
    (binding [*ns* (create-ns 'user)]
      (clojure.core/refer 'clojure.core)
      (doseq [[name kind value] (ask)
              :when (and (words name) (or (entry-points name) (not (ns-resolve 'clojure.core (symbol name)))))]
        (intern 'user (symbol name) (if (= kind :function) (fn [& arguments] (call name arguments)) value)))
      (load-string tests)
      (let [unrun (filter (fn [[_ found]] (:test (meta found))) (ns-interns 'user))]
        (when (and (seq unrun) (empty? (select-keys @counts [:pass :fail :error]))) (clojure.test/run-tests 'user))
        (if (or (seq unrun) (seq @counts))
          (let [{:keys [pass fail error] :or {pass 0 fail 0 error 0}} @counts]
            (when (zero? (+ pass fail error)) (binding [*out* *err*] (println "error: the tests have no test")))
            (if (and (pos? pass) (zero? (+ fail error))) 0 1))
          0)))
    (catch Throwable error (say error) 1)))
(flush)
(System/exit status)
"""
)


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {"candidate.clj": candidate, DRIVER_FILE: DRIVER}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process. Functions that the tests do not name are not called."""
    values = {
        "words": as_strings(WORD.findall(tests)),
        "entry_points": as_strings(ENTRY_POINT.findall(tests)),
        "lost_status": LOST_STATUS,
        "runner_file": RUNNER_FILE,
    }
    return {"tests.clj": tests, RUNNER_FILE: RUNNER % values}


def as_strings(words: list[str]) -> str:
    """Return texts of Clojure's."""
    return " ".join(f'"{word}"' for word in sorted({*words}))


def run_file(file: str, limits: Limits) -> Command:
    """Return the command that runs a file."""
    return java_command(limits, "-cp", CLASS_PATH, "clojure.main", file)


def run_linked(file: str, limits: Limits) -> Command:
    """Return the command of one side of a program with tests."""
    argv = run_file(file, limits).argv
    assert argv is not None
    return linked(*argv, memory_status=3, reserves_memory=True)(limits)


CLOJURE = Language(
    name="clojure",
    label="Clojure",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        lambda limits: run_linked(DRIVER_FILE, limits),
        lambda limits: run_linked(RUNNER_FILE, limits),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.clj": candidate},
        fixed_build(),
        lambda limits: run_file("candidate.clj", limits),
    ),
    version=lambda: jar_version("Clojure", f"{JARS_FOLDER}/clojure.jar", "clojure/version.properties"),
    package="clojure",
    image="debian:bookworm with clojure and python3",
    highlight="python",
    canary=(
        "(defn add [a b] (+ a b))",
        "(require '[clojure.test :refer [deftest is run-test]])\n(deftest adds (is (= (add 2 3) 5)))\n(run-test adds)",
    ),
    comments=LISP_COMMENTS,
    aliases=("clj",),
    tools=("java",),
    paths=JAVA.paths,
)
