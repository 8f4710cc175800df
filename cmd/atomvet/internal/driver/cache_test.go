package driver

import (
	"slices"
	"strings"
	"testing"
)

// In every layout p/low is imported by p/mid, and that by p/top. All have one
// variable that is reported, as "low", "mid" and "top".
var layouts = []struct {
	name    string
	archive string
	paths   map[string]string // how to name the packages
	main    bool              // all of them are in main modules
}{
	{
		name: "module",
		archive: `
-- go.mod --
module p
go 1.25
-- low/low.go --
package low
var evil, Low = 1, 1
-- mid/mid.go --
package mid
import "p/low"
var evil, Mid = 1, low.Low
-- top/top.go --
package top
import "p/mid"
var evil, Top = 1, mid.Mid
`,
		paths: map[string]string{"low": "./low", "mid": "./mid", "top": "./top"},
		main:  true,
	},
	{
		// Mid has tests in the package. Low has only tests that are not
		// built, and so is not checked in a test variant.
		name: "tests",
		archive: `
-- go.mod --
module p
go 1.25
-- low/low.go --
package low
var evil, Low = 1, 1
-- low/low_plan9_test.go --
package low
-- low/windows_test.go --
//go:build windows
package low
-- low/x_test.go --
package low_test
import _ "p/top"
-- mid/mid.go --
package mid
import "p/low"
var evil, Mid = 1, low.Low
-- mid/mid_test.go --
package mid
var x = 1
-- mid/x_test.go --
package mid_test
import _ "p/top"
-- top/top.go --
package top
import "p/mid"
var evil, Top = 1, mid.Mid
`,
		paths: map[string]string{"low": "./low", "mid": "./mid", "top": "./top"},
		main:  true,
	},
	{
		name: "workspace",
		archive: `
-- go.work --
go 1.25
use ./one
use ./two
-- one/go.mod --
module p.one
go 1.25
-- one/low/low.go --
package low
var evil, Low = 1, 1
-- two/go.mod --
module p.two
go 1.25
-- two/mid/mid.go --
package mid
import "p.one/low"
var evil, Mid = 1, low.Low
-- two/top/top.go --
package top
import "p.two/mid"
var evil, Top = 1, mid.Mid
`,
		paths: map[string]string{"low": "./one/low", "mid": "./two/mid", "top": "p.two/top"},
		main:  true,
	},
	{
		name: "replaced",
		archive: `
-- go.mod --
module p
go 1.25
require q v1.0.0
replace q => ./q
-- q/go.mod --
module q
go 1.25
-- q/low/low.go --
package low
var evil, Low = 1, 1
-- mid/mid.go --
package mid
import "q/low"
var evil, Mid = 1, low.Low
-- top/top.go --
package top
import "p/mid"
var evil, Top = 1, mid.Mid
`,
		paths: map[string]string{"low": "q/low", "mid": "./mid", "top": "./top"},
	},
	{
		name: "vendored",
		archive: `
-- go.mod --
module p
go 1.25
require q v1.0.0
-- vendor/modules.txt --
# q v1.0.0
## explicit; go 1.25
q/low
-- vendor/q/low/low.go --
package low
var evil, Low = 1, 1
-- mid/mid.go --
package mid
import "q/low"
var evil, Mid = 1, low.Low
-- top/top.go --
package top
import "p/mid"
var evil, Top = 1, mid.Mid
`,
		paths: map[string]string{"low": "q/low", "mid": "./mid", "top": "./top"},
	},
}

// orders are lists of packages to name one after another.
var orders = []string{"top mid low", "low mid top low", "mid top mid", "top low,mid,top"}

// TestNamedPackages checks that the command reports what was asked for, and
// nothing else, whatever is in the cache.
func TestNamedPackages(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, l.archive)
			for _, order := range orders {
				w.forget()
				for _, names := range strings.Fields(order) {
					var paths []string
					names := strings.Split(names, ",")
					for _, name := range names {
						paths = append(paths, l.paths[name])
					}
					r := w.atomvet(paths...)
					if got := found(r.stdout); !slices.Equal(got, names) || r.code != exitFindings {
						t.Errorf("in order %s, atomvet %v found %v, exit code %d\n%s", order, paths, got, r.code, r.stderr)
					}
				}
			}
		})
	}
}

// TestNamedPackagesGoVet checks that go vet does not lose findings that its
// cache could lose, and repeats none. For other modules than the main one, it
// checks that their findings do not come up where nobody asked for them.
func TestNamedPackagesGoVet(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, l.archive)
			for _, order := range orders {
				w.forget()
				seen := make(map[string]bool)
				for _, names := range strings.Fields(order) {
					var paths []string
					names := strings.Split(names, ",")
					for _, name := range names {
						paths = append(paths, l.paths[name])
					}
					for _, name := range names {
						seen[name] = true
					}
					if !l.main && slices.Contains(names, "low") && strings.HasPrefix(order, "top") {
						continue // a known limit: seen as a dependency first
					}
					r := w.govet(paths...)
					got := found(r.stderr)
					for _, name := range names {
						if !slices.Contains(got, name) {
							t.Errorf("in order %s, go vet %v did not find %s", order, paths, name)
						}
					}
					if !l.main && !seen["low"] && slices.Contains(got, "low") {
						t.Errorf("in order %s, go vet %v found something in q/low", order, paths)
					}
					if len(slices.Compact(got)) != len(got) {
						t.Errorf("in order %s, go vet %v repeated a finding:\n%s", order, paths, r.stderr)
					}
				}
			}
		})
	}
}

// TestSeparateCaches checks that findings which the command lets units report
// in other modules do not come up in go vet.
func TestSeparateCaches(t *testing.T) {
	t.Parallel()
	for _, l := range layouts {
		if l.main {
			continue
		}
		w := newWorkspace(t, l.archive)
		if r := w.atomvet("./..."); !slices.Equal(found(r.stdout), []string{"mid", "top"}) {
			t.Errorf("%s: atomvet ./... found:\n%s", l.name, r.stdout)
		}
		if r := w.govet("./..."); !slices.Equal(found(r.stderr), []string{"mid", "top"}) {
			t.Errorf("%s: go vet ./... found:\n%s", l.name, r.stderr)
		}
	}
}

// found returns the packages that have findings in the output, sorted.
func found(output string) []string {
	var names []string
	for line := range strings.Lines(output) {
		if file, _, ok := strings.Cut(line, ".go:"); ok && strings.Contains(line, "evil variable") {
			names = append(names, file[strings.LastIndexByte(file, '/')+1:])
		}
	}
	slices.Sort(names)
	return names
}
