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
	base := []cost{{10, 2 * time.Second, 50e6, 100, 10}, {10, 4 * time.Second, 40e6, 100, 10}, {10, 9 * time.Second, 60e6, 100, 10}}
	own := []cost{{10, 6 * time.Second, 75e6, 300, 20}}
	var out bytes.Buffer
	printTable(&out, base, own)
	for _, want := range []string{"4.00", "6.00", "1.500", "50.0", "75.0", "200 bytes, with test variants 210 bytes"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
