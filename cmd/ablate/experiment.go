package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/corpus"
)

// An experiment compares reports with and without rules.
type experiment struct {
	out     io.Writer
	verbose bool
	flags   string // DETECTOR.FLAG=VALUE,…
	corpora []*sample
}

// A sample is a corpus, and what is reported there with all rules.
type sample struct {
	*corpus.Corpus
	class func(corpus.Report) string // under which changes are counted
	base  map[run][]corpus.Report
}

// A run is one of a detector with a flag, or with none.
type run struct {
	detector *analysis.Analyzer
	setting  string // FLAG=VALUE
}

// options are the flags of the detectors by which they report more, or in another way. A rule that changes nothing
// without them is asked for with each of them, on the test data of its detector.
var options = map[string][]string{
	"stalevalue":      {"strict=true"},
	"viewconsistency": {"rw=false", "correlation=false"},
	"reacquire":       {"pattern=true", "stylistic=true", "variant=true"},
	"atomicset":       {"infer=true"},
}

func (e *experiment) add(c *corpus.Corpus, class func(corpus.Report) string) {
	e.corpora = append(e.corpora, &sample{c, class, make(map[run][]corpus.Report)})
}

// run prints what each of the rules changes.
func (e *experiment) run(rules []rule) error {
	for _, r := range rules {
		words, changes, err := e.effect(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%s\t%s\t%s\n", r.detector.Name, r.id, strings.Join(words, "\t"))
		if e.verbose {
			for _, c := range changes {
				fmt.Fprintf(e.out, "\t%c %s:%d:%d: %s\n", c.sign, c.File, c.Line, c.Column, c.Message)
			}
		}
	}
	return nil
}

// effect says what changes without a rule, "=" if nothing does. What changes with an option alone comes after its name, as
// in "strict=true: stalevalue -2".
func (e *experiment) effect(r rule) (words []string, changes []change, err error) {
	for _, setting := range append([]string{""}, options[r.detector.Name]...) {
		words, changes, err := e.without(r, setting)
		if err != nil {
			return nil, nil, err
		}
		if len(words) == 0 {
			continue
		}
		if setting != "" {
			words[0] = setting + ": " + words[0]
		}
		return words, changes, nil
	}
	return []string{"="}, nil, nil
}

// without says for each class what changes without a rule, such as "bugs +1 -2", if a flag of its detector is set.
func (e *experiment) without(r rule, setting string) (words []string, changes []change, err error) {
	cfg := e.config(r.detector)
	if name, value, ok := strings.Cut(setting, "="); ok {
		cfg = cfg.With(r.detector.Name+"."+name, value)
	}
	for _, s := range e.corpora {
		if setting != "" && s.Name != r.detector.Name {
			continue
		}
		list, err := s.without(r, run{r.detector, setting}, cfg)
		if err != nil {
			return nil, nil, err
		}
		words = append(words, summary(list, s.class)...)
		changes = append(changes, list...)
	}
	return words, changes, nil
}

// config is that of a detector with all its rules.
func (e *experiment) config(d *analysis.Analyzer) corpus.Config {
	cfg := corpus.Config{Detectors: []*analysis.Analyzer{d}}.At("low")
	for setting := range strings.SplitSeq(e.flags, ",") {
		if name, value, ok := strings.Cut(setting, "="); ok && strings.HasPrefix(name, d.Name+".") {
			cfg = cfg.With(name, value)
		}
	}
	return cfg
}

func (s *sample) without(r rule, of run, cfg corpus.Config) ([]change, error) {
	base, ok := s.base[of]
	if !ok {
		var err error
		if base, err = s.Run(cfg); err != nil {
			return nil, err
		}
		s.base[of] = base
	}
	found, err := s.Run(cfg.With(r.detector.Name+"."+without, r.id))
	if err != nil {
		return nil, fmt.Errorf("without %v: %w", r, err)
	}
	return compare(base, found), nil
}

// A change is a report that comes (+), goes (-) or has another text (~).
type change struct {
	sign rune
	corpus.Report
}

// compare returns what has changed. Reports are the same if they are of one category at
// one place.
func compare(before, after []corpus.Report) []change {
	anonymous := func(r corpus.Report) corpus.Report {
		r.Message, r.Confidence = "", ""
		return r
	}
	was, is := make(map[corpus.Report][]corpus.Report), make(map[corpus.Report][]corpus.Report)
	for _, r := range before {
		was[anonymous(r)] = append(was[anonymous(r)], r)
	}
	for _, r := range after {
		is[anonymous(r)] = append(is[anonymous(r)], r)
	}
	var out []change
	for _, r := range before {
		if is[anonymous(r)] == nil {
			out = append(out, change{'-', r})
		}
	}
	for _, r := range after {
		if old := was[anonymous(r)]; old == nil {
			out = append(out, change{'+', r})
		} else if !slices.Contains(old, r) {
			out = append(out, change{'~', r})
		}
	}
	// One of several messages at a place has gone.
	for _, r := range before {
		if now := is[anonymous(r)]; now != nil && len(now) < len(was[anonymous(r)]) && !slices.Contains(now, r) {
			out = append(out, change{'~', r})
		}
	}
	return out
}

// summary counts changes by class.
func summary(changes []change, class func(corpus.Report) string) []string {
	count := make(map[string]map[rune]int)
	for _, c := range changes {
		name := class(c.Report)
		if count[name] == nil {
			count[name] = make(map[rune]int)
		}
		count[name][c.sign]++
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		text := name
		for _, sign := range "+-~" {
			if n := count[name][sign]; n > 0 {
				text += fmt.Sprintf(" %c%d", sign, n)
			}
		}
		words = append(words, text)
	}
	return words
}
