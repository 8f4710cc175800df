package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/cmd/papers/internal/methodviews"
	"github.com/atomvet/atomvet/cmd/papers/internal/teixeira"
	"github.com/atomvet/atomvet/passes"
	"github.com/atomvet/atomvet/passes/atomicset"
	"github.com/atomvet/atomvet/passes/reacquire"
	"github.com/atomvet/atomvet/passes/stalevalue"
	"github.com/atomvet/atomvet/passes/viewconsistency"
)

// A mode is a detector with certain flags.
type mode struct {
	name     string
	title    string // in a table, if the name is too long there
	detector *analysis.Analyzer
	flags    map[string]string
	only     string // the category that counts, if not all do
	standard bool   // with the flags that a user has by default
	adds     bool   // has what another mode lacks, and so misses nothing itself
}

// modes are all modes: first the detectors as they are, then what the papers
// describe, in their own words.
var modes = append(standardModes(),
	// View consistency (Artho, Havelund, Biere), which knows neither reads from
	// writes nor what belongs together.
	mode{name: "vc", detector: viewconsistency.Analyzer, flags: map[string]string{"rw": "false", "correlation": "false"}},
	// Block-local atomicity (JNuke).
	mode{name: "bla", detector: stalevalue.Analyzer, flags: map[string]string{"strict": "true"}, only: "escape"},
	// The context/witness pattern, and what its variant reports besides.
	mode{name: "cw", detector: reacquire.Analyzer, flags: map[string]string{"pattern": "true"}},
	mode{name: "cwvariant", title: "cw+", detector: reacquire.Analyzer, flags: map[string]string{"variant": "true"}, only: "variant", adds: true},
	// Atomic sets that nobody has declared.
	mode{name: "infer", detector: atomicset.Analyzer, flags: map[string]string{"infer": "true"}, only: "inferred-set"},
	// What the papers compare themselves with.
	mode{name: "teixeira", title: "tx", detector: teixeira.Analyzer},
	mode{name: "methodviews", title: "mv", detector: methodviews.Analyzer},
)

func standardModes() []mode {
	titles := map[string]string{stalevalue.Analyzer.Name: "stale", viewconsistency.Analyzer.Name: "views"}
	var out []mode
	for _, a := range passes.All() {
		out = append(out, mode{name: a.Name, title: titles[a.Name], detector: a, standard: true})
	}
	return out
}

// modeNamed returns nil if there is none.
func modeNamed(name string) *mode {
	i := slices.IndexFunc(modes, func(m mode) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &modes[i]
}

// analyzers returns an analyzer for each mode, under the name of the mode.
func analyzers() []*analysis.Analyzer {
	// A detector has its flags in package variables, and analyzers run at the
	// same time.
	mu := new(sync.Mutex)
	var out []*analysis.Analyzer
	for _, m := range modes {
		out = append(out, m.analyzer(mu))
	}
	return out
}

// analyzer returns the detector under another name, and with flags that are set
// only as long as it runs.
func (m mode) analyzer(mu *sync.Mutex) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       m.name,
		Doc:        m.detector.Doc,
		URL:        m.detector.URL,
		Requires:   m.detector.Requires,
		FactTypes:  m.detector.FactTypes,
		ResultType: m.detector.ResultType,
		Run: func(pass *analysis.Pass) (any, error) {
			mu.Lock()
			defer mu.Unlock()
			for _, name := range slices.Sorted(maps.Keys(m.flags)) {
				f := m.detector.Flags.Lookup(name)
				if f == nil {
					return nil, fmt.Errorf("%s has no flag %s", m.detector.Name, name)
				}
				before := f.Value.String()
				if err := f.Value.Set(m.flags[name]); err != nil {
					return nil, err
				}
				defer f.Value.Set(before)
			}
			return m.detector.Run(pass)
		},
	}
}
