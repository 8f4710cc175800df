package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A store below internal. What it does is wrong if two goroutines call Add, or one Add and another
// Clear.
const closedStore = `
-- go.mod --
module example.com/m
go 1.25
-- internal/store/store.go --
package store

import "sync"

type Store struct {
	mu sync.Mutex
	n  int
}

func New() *Store { return new(Store) }

func (s *Store) Add(k int) {
	s.mu.Lock()
	n := s.n
	s.mu.Unlock()
	n += k
	s.mu.Lock()
	s.n = n
	s.mu.Unlock()
}
`

// closedApp is a package that has a store.
const closedApp = `
-- app/app.go --
package app

import (
	"sync"

	"example.com/m/internal/store"
)

type App struct {
	mu    sync.Mutex
	store *store.Store
	in    chan int
}
`

// closedWarm imports what the tests need of the standard library.
const closedWarm = `
-- go.mod --
module example.com/m
go 1.25
-- app/app.go --
package app

import (
	_ "errors"
	_ "fmt"
	_ "io"
	_ "os"
	_ "reflect"
	_ "sync"
	_ "sync/atomic"
	_ "text/template"
	_ "time"
)
-- app/app_test.go --
package app

import _ "testing"
`

// serving is one goroutine for each App that calls Add.
const serving = `
func New() *App {
	a := &App{store: store.New(), in: make(chan int)}
	go a.run()
	return a
}

func (a *App) run() {
	for n := range a.in {
		a.store.Add(n)
	}
}
`

// TestClosed: the callers in other packages refute a finding, or do not.
//
// A go command that finds the facts of a package in the cache, which another one has just put there,
// can miss what the package says beside them: it is put there afterwards. The driver then takes the
// callers for unknown. So the packages of the standard library are analyzed before the tests start.
func TestClosed(t *testing.T) {
	t.Parallel()
	runIn(t, module(t, closedWarm), "-json", "-callers", "./...")
	for _, test := range []struct {
		name    string
		files   string // of the module, beside the store
		flags   string
		imports string // of the app, too
		want    string // the reason, "" if the finding is shown
	}{
		{name: "one goroutine", files: closedApp + serving, want: "Store.Add: the goroutine started at app.go:17:2 calls it, which is one at a time"},
		{name: "two goroutines", files: closedApp + strings.Replace(serving, "go a.run()", "go a.run()\n\tgo a.run()", 1)},
		{name: "a goroutine for each value", files: closedApp + strings.Replace(serving, "a.store.Add(n)", "go a.store.Add(n)", 1)},
		{name: "one goroutine for each of many that share the store", files: closedApp + `
func New(s *store.Store) *App {
	a := &App{store: s, in: make(chan int)}
	go a.run()
	return a
}
func (a *App) run() {
	for n := range a.in {
		a.store.Add(n)
	}
}
`},
		{name: "one goroutine, and a literal in it", files: closedApp + strings.Replace(serving, "a.store.Add(n)", "func() { a.store.Add(n) }()", 1), want: "one at a time"},
		{name: "one goroutine, and a method value", files: closedApp + serving + `
func (a *App) Adder() func(int) { return a.store.Add }
`},
		{name: "one goroutine, and an interface", files: closedApp + serving + `
type Adder interface{ Add(int) }
func (a *App) Adder() Adder { return a.store }
`},
		{name: "one goroutine, and an interface that another one calls", files: closedApp + serving + `
type Adder interface{ Add(int) }
func add(x Adder) { x.Add(1) }
func (a *App) Start() { go add(a.store) }
`},
		{name: "one goroutine, through an interface", files: closedApp + strings.Replace(serving, "a.store.Add(n)", "add(a.store, n)", 1) + `
type adder interface{ Add(int) }
func add(x adder, n int) { x.Add(n) }
-- main.go --
package main

import "example.com/m/app"

func main() { app.New() }
`, flags: "-closed"},
		{name: "one goroutine, and text/template", files: closedApp + serving + `
func (a *App) Page(w io.Writer, t *template.Template) error { return t.Execute(w, a.store) }
`, imports: "io text/template"},
		{name: "one goroutine, and fmt", files: closedApp + serving + `
func (a *App) Page(w io.Writer) { fmt.Fprintln(w, a.store) }
-- main.go --
package main

import "example.com/m/app"

func main() { app.New() }
`, imports: "fmt io", flags: "-closed", want: "one at a time"},
		{name: "one goroutine, and the store itself", files: closedApp + serving + `
func (a *App) Store() *store.Store { return a.store }
`},
		{name: "one goroutine, and another module", files: closedApp + serving + `
-- tools/go.mod --
module example.com/m/tools
go 1.25
-- tools/tools.go --
package tools

import "example.com/m/internal/store"

func Add(s *store.Store) { s.Add(1) }
`},
		{name: "one goroutine, and modules that cannot have the store", files: closedApp + serving + `
-- tools/go.mod --
module example.com/m/tools
go 1.25
-- tools/tools.go --
package tools

import _ "example.com/m/app"
-- other/go.mod --
module example.com/other
go 1.25
-- other/other.go --
package other

import _ "example.com/m/internal/store"
`, want: "one at a time"},
		{name: "one goroutine, and a package that is not checked", flags: "-tests=false ./internal/...", files: closedApp + serving},
		{name: "under the lock of the caller", files: closedApp + `
func New() *App { return &App{store: store.New()} }

func (a *App) Put(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.put(n)
}

func (a *App) put(n int) { a.store.Add(n) }
`, want: "Store.Add: all callers hold App.mu"},
		{name: "under the lock of the caller, not always", files: closedApp + `
func New() *App { return &App{store: store.New()} }

func (a *App) Put(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.put(n)
}

func (a *App) Force(n int) { a.put(n) }

func (a *App) put(n int) { a.store.Add(n) }
`},
		{name: "under the lock of one of the owners", files: closedApp + `
func New(s *store.Store) *App { return &App{store: s} }

func (a *App) Put(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.store.Add(n)
}
`},
		{name: "deferred, when the lock is released", files: closedApp + `
func New() *App { return &App{store: store.New()} }

func (a *App) Put(n int) {
	a.mu.Lock()
	defer a.store.Add(n)
	defer a.mu.Unlock()
}
`},
		{name: "of two stores", files: closedApp + serving + `
var all = store.New()

func Total(n int) { all.Add(n) }
`},
		{name: "a main package, which does one thing after the other", files: `
-- main.go --
package main

import "example.com/m/internal/store"

func main() { s := store.New(); list = append(list, s); list[0].Add(1); list[0].Add(2) }

var list []*store.Store
`, want: "do one thing after the other"},
		{name: "a test, which does one thing after the other", files: closedApp + serving + `
-- internal/store/store_test.go --
package store

import "testing"

func TestAdd(t *testing.T) { s := New(); s.Add(1); s.Add(2) }
`, want: "one at a time"},
		{name: "a test of what may run beside itself", files: closedApp + serving + `
-- internal/store/store_test.go --
package store_test

import (
	"testing"

	"example.com/m/internal/store"
)

func TestAdd(t *testing.T) {
	s := store.New()
	for i := range 10 {
		go s.Add(i)
	}
}
`},
		{name: "a handler", files: closedApp + `
type scheduler interface{ Every(f func()) }

func New(s scheduler) *App {
	a := &App{store: store.New()}
	s.Every(func() { a.store.Add(1) })
	return a
}
`},
		{name: "through a library", files: closedApp + `
func New() *App { return &App{store: store.New()} }

func (a *App) Put(n int) { a.store.Add(n) }
`},
		{name: "through a library, that main is all of", flags: "-closed", files: closedApp + `
func New() *App { return &App{store: store.New()} }

func (a *App) Put(n int) { a.store.Add(n) }
-- main.go --
package main

import "example.com/m/app"

func main() { a := app.New(); use(a); a.Put(1) }

func use(*app.App) {}
`, want: "do one thing after the other"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields("-json -callers " + test.flags)
			if !strings.Contains(test.flags, "/") {
				args = append(args, "./...")
			}
			files := test.files
			for _, path := range strings.Fields(test.imports) {
				files = strings.Replace(files, "import (", "import (\n\t"+strconv.Quote(path), 1)
			}
			got := runClosed(t, closedStore+files, args...)
			shown := len(got.Findings) > 0
			if shown != (test.want == "") || len(got.Refuted) > 0 == shown {
				t.Errorf("findings %v, refuted %v", got.Findings, got.Refuted)
			}
			for _, r := range got.Refuted {
				if !strings.Contains(r.Reason, test.want) {
					t.Errorf("the reason is %q, want %q", r.Reason, test.want)
				}
			}
		})
	}
}

type closedResult struct {
	Findings []struct{ File string }
	Refuted  []struct{ File, Rule, Reason string }
}

// runClosed runs the command on a module twice, and expects the same of the cache.
func runClosed(t *testing.T, archive string, args ...string) closedResult {
	t.Helper()
	dir := module(t, archive)
	out, said := runIn(t, dir, args...)
	again, saidAgain := runIn(t, dir, args...)
	if !bytes.Equal(out, again) {
		t.Errorf("from the cache it is\n%s%s\nat first\n%s%s", again, saidAgain, out, said)
	}
	var got closedResult
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// module writes a module, and returns its directory.
func module(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, f.Data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runIn runs the command in a directory, and returns its output and what it says beside it.
func runIn(t *testing.T, dir string, args ...string) (out []byte, said string) {
	t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code > 1 {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return out, stderr.String()
}
