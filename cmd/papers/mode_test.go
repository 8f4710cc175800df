package main

import (
	"errors"
	"flag"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
)

func TestModes(t *testing.T) {
	if err := analysis.Validate(analyzers()); err != nil {
		t.Error(err)
	}
	for _, m := range modes {
		for name, value := range m.flags {
			f := m.detector.Flags.Lookup(name)
			switch {
			case f == nil:
				t.Errorf("%s: %s has no flag %s", m.name, m.detector.Name, name)
			case f.DefValue == value:
				t.Errorf("%s: %s is %s anyway", m.name, name, value)
			}
		}
		if m.standard && (len(m.flags) > 0 || m.only != "" || m.name != m.detector.Name) {
			t.Errorf("%s is not the detector as it is by default", m.name)
		}
	}
}

// TestFlagsForOneRun checks that a mode sets flags as long as it runs, and that
// other modes of the same detector do not run meanwhile.
func TestFlagsForOneRun(t *testing.T) {
	var strict bool
	running := false
	detector := &analysis.Analyzer{Name: "detector", Doc: "doc"}
	detector.Flags.BoolVar(&strict, "strict", false, "")
	var saw []bool
	detector.Run = func(*analysis.Pass) (any, error) {
		if running {
			t.Error("two at a time")
		}
		running = true
		saw = append(saw, strict)
		running = false
		return nil, errors.New("result")
	}
	mu := new(sync.Mutex)
	plain := mode{name: "plain", detector: detector}.analyzer(mu)
	other := mode{name: "other", detector: detector, flags: map[string]string{"strict": "true"}}.analyzer(mu)
	if plain.Name != "plain" || other.Name != "other" {
		t.Errorf("names are %s and %s", plain.Name, other.Name)
	}
	var wg sync.WaitGroup
	for range 20 {
		for _, a := range []*analysis.Analyzer{plain, other} {
			wg.Go(func() {
				if _, err := a.Run(nil); err == nil || err.Error() != "result" {
					t.Errorf("%s: %v", a.Name, err)
				}
			})
		}
	}
	wg.Wait()
	set := 0
	for _, s := range saw {
		if s {
			set++
		}
	}
	if len(saw) != 40 || set != 20 || strict {
		t.Errorf("of %d runs %d saw the flag, and now it is %v", len(saw), set, strict)
	}
}

func TestBadFlags(t *testing.T) {
	detector := &analysis.Analyzer{Name: "detector", Doc: "doc", Run: func(*analysis.Pass) (any, error) { return nil, nil }}
	detector.Flags = *flag.NewFlagSet("", flag.ContinueOnError)
	detector.Flags.Bool("strict", false, "")
	for _, test := range []struct{ name, value, says string }{
		{"nosuch", "true", "detector has no flag nosuch"},
		{"strict", "maybe", "parse error"},
	} {
		a := mode{name: "m", detector: detector, flags: map[string]string{test.name: test.value}}.analyzer(new(sync.Mutex))
		if _, err := a.Run(nil); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s=%s: %v, want %q", test.name, test.value, err, test.says)
		}
	}
}
