"""Clojure. The tests run apart from the candidate, and call its functions with values that are sent as EDN."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

from sandboxes.contract import Limits
from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.guest.common.named_tests import MAX_MESSAGE_CHARS, REPORT_FILE
from sandboxes.languages.base import Language, Recipe, SeparateRecipe, fixed_build, linked
from sandboxes.languages.comments import LISP_COMMENTS
from sandboxes.languages.compilers.archived_classes import ArchivedClasses, choose
from sandboxes.languages.compilers.jar_version import jar_version
from sandboxes.languages.compilers.quick_builds import QUICK_FILE, run_tool
from sandboxes.languages.java import JAVA, JVM_FLAGS, java_command
from sandboxes.languages.java_junit import JARS_FOLDER
from sandboxes.languages.steps import Command

DRIVER_FILE, RUNNER_FILE, SETTINGS_FILE = "code_eval_driver.clj", "code_eval_runner.clj", "code_eval_settings.edn"
CLASS_PATH = ":".join(f"{JARS_FOLDER}/{name}.jar" for name in ("clojure", "spec.alpha", "core.specs.alpha"))

ENTRY_POINT = re.compile(r"\bcandidate\s+([^\s()\[\]{}\"']+)")
WORD = re.compile(r"[^\s()\[\]{}\"',`;\\@^~#]+")

# A message is the number of its bytes and a text of EDN. The tests' side reads data of it and runs nothing.
LINK = """\
(ns code-eval.%(space)s
  (:require [clojure.edn :as edn] [clojure.string :as string])
  (:import
   [java.io BufferedInputStream DataInputStream DataOutputStream EOFException FileInputStream FileOutputStream]))
(def in (delay (DataInputStream. (BufferedInputStream. (FileInputStream. "/dev/fd/3")))))
(def out (delay (DataOutputStream. (FileOutputStream. "/dev/fd/4"))))
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
  (let [bytes (.getBytes ^String text "UTF-8") ^DataOutputStream stream @out]
    (.writeInt stream (alength bytes))
    (.write stream bytes)
    (.flush stream)))
(defn take-message []
  (let [^DataInputStream stream @in]
    (try
      (let [bytes (byte-array (.readInt stream))]
        (.readFully stream bytes)
        (edn/read-string (String. bytes "UTF-8")))
      (catch EOFException _ ::end))))
(defn say [^Throwable error]
  (let [cause (loop [each error] (if-let [next (.getCause each)] (recur next) each))]
    (binding [*out* *err*] (println (str "error: " (.getName (class cause)) ": " (.getMessage ^Throwable cause))))))
;; No hook runs then.
(defn end [status]
  (flush)
  (.halt (Runtime/getRuntime) status))
;; Tests may expect an error of the candidate's. One of the link's, which nobody expects, ends them.
(defn encode-or-exit [value]
  (try
    (encode value)
    (catch IllegalArgumentException error
      (if (re-find #"can't be sent to the other process" (str (.getMessage error)))
        (do (say error) (end 1))
        (throw error)))))
"""

DRIVER = (
    LINK % {"space": "driver"}
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
(defn -main []
  (take-message)
  (let [before (set (all-ns))]
    (try
      (binding [*ns* (create-ns 'user)]
        (clojure.core/refer 'clojure.core)
        (load-file "candidate.clj"))
      (catch OutOfMemoryError _ (System/exit 3))
      (catch Throwable error (say error) (System/exit 1)))
    (doseq [space (remove before (all-ns)) [name found] (ns-publics space)]
      (.refer ^clojure.lang.Namespace (the-ns 'user) name found)))
  (put (encode (vec (keep describe (filter (fn [[_ found]] (not= (the-ns 'clojure.core) (.ns ^clojure.lang.Var found)))
                                           (filter (fn [[_ found]] (var? found)) (ns-map 'user)))))))
  (loop []
    (let [call (take-message)]
      (when (= call ::end) (System/exit 0))
      (put (answer call))
      (recur))))
"""
)

RUNNER_TEMPLATE = (
    LINK
    + """\
(require 'clojure.test)
(defn lost []
  (binding [*out* *err*] (println "the candidate ended before its tests were done"))
  (end %(lost_status)d))
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
;; Of each test that runs: the failures before it, its start, and what is wrong with it.
(def begun (atom []))
(defn failures [] (+ (:fail @counts 0) (:error @counts 0)))
(defn one-line [text]
  (let [text (str text)]
    (string/replace (subs text 0 (min (count text) %(max_chars)d)) #"\\s+" " ")))
(defn report [{:keys [before start said]} found]
  (let [seconds (format "%%.6f" (/ (- (System/nanoTime) start) 1e9))
        outcome (if (= before (failures)) "passed" "failed")]
    (spit "%(report_file)s"
          (str (string/join "\\t" [outcome seconds (one-line (:name (meta found))) (one-line said)]) "\\n")
          :append true)))
(defn watch [{:keys [type message expected actual] :as event}]
  (swap! counts update type (fnil inc 0))
  (case type
    :begin-test-var (swap! begun conj {:before (failures) :start (System/nanoTime) :said ""})
    :end-test-var (let [test (peek @begun)] (swap! begun pop) (report test (:var event)))
    (:fail :error)
    (when-let [{:keys [said]} (peek @begun)]
      (when (= said "")
        (let [text (str message (when message " ") "expected: " (pr-str expected) " actual: "
                        (if (instance? Throwable actual) actual (pr-str actual)))]
          (swap! begun (fn [all] (conj (pop all) (assoc (peek all) :said text)))))))
    nil))
(def before (atom #{}))
(defn test-spaces []
  (filter (fn [space] (some (fn [[_ found]] (:test (meta found))) (ns-interns space)))
          (cons (the-ns 'user) (remove @before (all-ns)))))
(defn judge []
  (when-let [spaces (and (zero? (:begin-test-var @counts 0)) (seq (test-spaces)))]
    (apply clojure.test/run-tests spaces))
  (let [has-tests (or (seq (test-spaces)) (seq (select-keys @counts [:pass :fail :error])))
        has-run (pos? (+ (:pass @counts 0) (failures)))]
    (if-let [problem (cond (seq @begun) "a test left the program"
                           (and has-tests (not has-run)) "the tests have no test")]
      (do (binding [*out* *err*] (println (str "error: " problem))) 1)
      (if (pos? (failures)) 1 0))))
(defn run [tests {:keys [words entry-points]}]
  (binding [*ns* (create-ns 'user)]
    (clojure.core/refer 'clojure.core)
    (reset! before (set (cons (the-ns 'user) (all-ns))))
    (doseq [[name kind value] (ask)
            :when (and (words name) (or (entry-points name) (not (ns-resolve 'clojure.core (symbol name)))))]
      (intern 'user (symbol name) (if (= kind :function) (fn [& arguments] (call name arguments)) value)))
    (load-string tests)
    (judge)))
(defn run-or-say [function & arguments]
  (try (apply function arguments) (catch Throwable error (say error) 1)))
(defn -main []
  ;; Tests may add methods. Each event is dispatched once, whatever they do with it.
  (let [dispatch (fn [event] (watch event) (:type event))
        watched (clojure.lang.MultiFn. "report" dispatch :default #'clojure.core/global-hierarchy)]
    (doseq [[type method] (methods clojure.test/report)] (.addMethod watched type method))
    (alter-var-root #'clojure.test/report (constantly watched)))
  ;; Tests that leave with status 0 have failed if one of them has.
  (.addShutdownHook
   (Runtime/getRuntime)
   (Thread. ^Runnable (fn [] (let [status (run-or-say judge)] (when (pos? status) (end status))))))
  (let [tests (slurp "tests.clj") settings (edn/read-string (slurp "%(settings_file)s"))]
    (run! #(.delete (java.io.File. ^String %%)) ["tests.clj" "%(settings_file)s" "%(runner_file)s"])
    (put "true")
    (end (run-or-say run tests settings))))
"""
)
RUNNER = RUNNER_TEMPLATE % {
    "space": "runner",
    "lost_status": LOST_STATUS,
    "settings_file": SETTINGS_FILE,
    "runner_file": RUNNER_FILE,
    "report_file": REPORT_FILE,
    "max_chars": MAX_MESSAGE_CHARS,
}
START = "(-main)\n"
"""What runs a namespace that is loaded from its file."""

# It uses much of the language, and of what tests use.
SAMPLE = """\
(ns sample
  (:require [clojure.edn :as edn] [clojure.set :as set] [clojure.string :as string] [clojure.test :refer [deftest is]]
            code-eval.driver code-eval.runner))
(defrecord Point [x y])
(defmulti area :kind)
(defmethod area :square [{:keys [side]}] (* side side))
(defn squares [limit] (vec (for [number (range 1 (inc limit)) :when (even? number)] (* number number))))
(defn longest [texts] (loop [[each & others] texts best ""] (if each (recur others (max-key count each best)) best)))
(defn counts [texts] (reduce (fn [found text] (update found text (fnil inc 0))) {} texts))
(deftest all
  (is (= [4 16] (squares 4)))
  (is (= "bc" (longest ["a" "bc"])) "the longest")
  (is (= {"a" 2} (counts ["a" "a"])))
  (is (= 4 (area {:kind :square :side 2})))
  (is (= 3.5 (/ 7 2.0)))
  (is (thrown? ArithmeticException (/ 1 0)))
  (is (= 1 (:x (->Point 1 2))))
  (is (= #{1} (set/intersection #{1 2} #{1})))
  (is (= ["A" "B"] (string/split (string/upper-case "a b") #" ")))
  (is (= [:a 2.5 "text" nil] (edn/read-string (code-eval.driver/encode [:a 2.5 "text" nil])))))
(clojure.test/run-tests 'sample)
(load-string "(defn later [a] (->> a (map inc) (filter odd?) (sort >) first)) (assert (= 3 (later [1 2])))")
(try (throw (ex-info "an error" {})) (catch Exception error (code-eval.runner/say error)))
"""


def compile_spaces(work: Path) -> None:
    """Compile both namespaces, as `ArchivedClasses.compile_sources` does."""
    (work / "code_eval").mkdir()
    for name, source in (("driver", DRIVER), ("runner", RUNNER)):
        (work / "code_eval" / f"{name}.clj").write_text(source)
    compile_both = "(run! compile '[code-eval.driver code-eval.runner])"
    run_tool("java", "-cp", f"{CLASS_PATH}:.:classes", "clojure.main", "-e", compile_both, folder=str(work))


CLASSES = ArchivedClasses(
    language="clojure",
    sources=(DRIVER, RUNNER, SAMPLE),
    class_path=CLASS_PATH,
    java=("java", *JVM_FLAGS),
    compile_sources=compile_spaces,
    sample=lambda: {"sample.clj": SAMPLE},
    arguments=("clojure.main", "sample.clj"),
)


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {"candidate.clj": candidate, DRIVER_FILE: DRIVER + START, QUICK_FILE: CLASSES.quick_line}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process. Functions that the tests do not name are not called."""
    # A word may have its namespace in front.
    words = as_set([word.rpartition("/")[2] or word for word in WORD.findall(tests)])
    entry_points = as_set(ENTRY_POINT.findall(tests))
    settings = f"{{:words {words} :entry-points {entry_points}}}\n"
    files = {"tests.clj": tests, SETTINGS_FILE: settings, RUNNER_FILE: RUNNER + START}
    return {**files, QUICK_FILE: CLASSES.quick_line}


def standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of the candidate alone, which is run."""
    return {"candidate.clj": candidate, QUICK_FILE: CLASSES.quick_line}


def as_set(words: list[str]) -> str:
    """Return a set of texts as Clojure has it. No word has a character that would be escaped."""
    return "#{" + " ".join(f'"{word}"' for word in sorted({*words})) + "}"


def run_clojure(limits: Limits, file: str, space: str = "", flags: tuple[str, ...] = ()) -> Command:
    """Return the command that runs a file.

    Args:
        limits: of the program.
        file: its path.
        space: the namespace in the file, if its compiled classes do the same.
        flags: of the virtual machine.
    """
    command = java_command(limits, *flags)
    assert command.argv is not None
    quick = CLASSES.command(command.argv, "clojure.main", *(("-m", f"code-eval.{space}") if space else (file,)))
    plain = shlex.join((*command.argv, "-cp", CLASS_PATH, "clojure.main", file))
    return replace(command, argv=("sh", "-c", choose(quick, plain)), needs=("java",))


def run_linked(limits: Limits, file: str, space: str, flags: tuple[str, ...] = ()) -> Command:
    """Return the command of one side of a program with tests. The arguments are those of `run_clojure`."""
    argv = run_clojure(limits, file, space, flags).argv
    assert argv is not None
    return linked(*argv, memory_status=3, reserves_memory=True)(limits)


CLOJURE = Language(
    name="clojure",
    label="Clojure",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        lambda limits: run_linked(limits, DRIVER_FILE, "driver"),
        # Tests compute so little that the second compiler would take more time than it saves.
        lambda limits: run_linked(limits, RUNNER_FILE, "runner", ("-XX:TieredStopAtLevel=1",)),
    ),
    standalone=Recipe(standalone_files, fixed_build(), lambda limits: run_clojure(limits, "candidate.clj")),
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
    prepared_here=CLASSES.prepare,
)
