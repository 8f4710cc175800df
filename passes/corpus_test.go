package passes_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/atomvet/atomvet/passes"
	"github.com/atomvet/atomvet/passes/corpus"
)

// loader has the facts of the standard library for all corpora.
var loader = sync.OnceValues(func() (*corpus.Loader, error) { return corpus.NewLoader(passes.All()...) })

// sources are the corpora of the module.
var sources = sync.OnceValues(func() ([]corpus.Source, error) {
	var names []string
	for _, d := range passes.All() {
		names = append(names, d.Name)
	}
	return corpus.Own("..", names...)
})

// loaded has the corpora of the module that a test has asked for.
var loaded = make(map[string]*corpus.Corpus)

// load returns a corpus of the module.
func load(t *testing.T, name string) *corpus.Corpus {
	t.Helper()
	if c := loaded[name]; c != nil {
		return c
	}
	list, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range list {
		if src.Name == name {
			c := loadSource(t, src)
			if len(c.Broken) > 0 {
				t.Fatalf("corpus %s: %v", name, c.Broken)
			}
			loaded[name] = c
			return c
		}
	}
	t.Fatalf("there is no corpus %s", name)
	return nil
}

func loadSource(t *testing.T, src corpus.Source) *corpus.Corpus {
	t.Helper()
	l, err := loader()
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reports runs all detectors over a corpus, with flags as by default but for the
// confidence.
func reports(t *testing.T, c *corpus.Corpus, confidence string) []corpus.Report {
	t.Helper()
	cfg := corpus.Config{Detectors: passes.All()}.At(confidence)
	found, err := c.Run(cfg)
	if err != nil {
		t.Fatal(fmt.Errorf("%v: %w", cfg, err))
	}
	return found
}
