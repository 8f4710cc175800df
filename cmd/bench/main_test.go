//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	playTool()
	os.Exit(m.Run())
}

// TestRun measures a small package, so that the command is known to work
// before somebody waits for the standard library.
func TestRun(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	m := &measurement{
		cache:    strings.TrimSpace(string(cache)),
		temp:     t.TempDir(),
		packages: []string{"internal/goarch"},
	}
	var first cost
	for i := range 2 {
		c, err := m.run(onlySSA)
		if err != nil {
			t.Fatal(err)
		}
		// The second run would cost nothing if it could use the first one's results.
		if c.units == 0 || c.cpu <= 0 || c.maxRSS < 1<<20 {
			t.Errorf("run %d cost %+v", i, c)
		}
		if i == 0 {
			first = c
		} else if c.units != first.units || c.facts != first.facts {
			t.Errorf("second run differs: %+v, first %+v", c, first)
		}
	}
}

func TestTable(t *testing.T) {
	one := func(cpu time.Duration, rss, facts, variants int64) cost {
		return cost{units: 10, cpu: cpu * time.Second, maxRSS: rss, facts: facts, variantFacts: variants}
	}
	base := []cost{one(2, 50e6, 100, 10), one(4, 40e6, 100, 10), one(9, 60e6, 100, 10)}
	own := []cost{one(6, 75e6, 300, 20), one(6, 75e6, 300, 20), one(6, 75e6, 300, 20)}
	var out bytes.Buffer
	printTable(&out, "SSA only", base, own)
	for _, want := range []string{"4.00", "6.00", "1.500", "0.667", "3.000", "50.0", "75.0", "200 bytes, with test variants 210 bytes"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
