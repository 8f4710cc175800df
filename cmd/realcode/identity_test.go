package main

import (
	"path/filepath"
	"testing"
)

func TestLocationOf(t *testing.T) {
	for _, test := range []struct{ category, message, want string }{
		{"check-then-act", "check-then-act: s.m[…] was checked at line 3, but s.mu was released at line 4 and another goroutine may change it before this write (store.m is also written by f, a.go:1)", "s.m[…]"},
		{"lost-update", "lost-update: c.n was read at line 3, but the atomic operations are separate", "c.n"},
		{"split-read", "split-read: r.a at line 3 and r.b here are read apart, in separate critical sections", "r.a and r.b"},
		{"reacquire", "reacquire: c.mu is taken again here, after line 285, in one critical section of c.sf", "c.mu"},
		{"escape-ref", "escape-ref: c.conns was taken at line 1182 under c.mu and is used here", "c.conns"},
		{"new", "new: another form of words", ""},
		{"new", "", ""},
	} {
		if got := locationOf(test.category, test.message); got != test.want {
			t.Errorf("%s: %q, want %q", test.message, got, test.want)
		}
	}
}

const declarations = `package p

import "sync"

var mu, other = sync.Mutex{}, func() int {
	return 1
}()

type T[K any] struct{ m map[int]K }

func (t *T[K]) put(k K) {
	go func() {
		t.m[0] = k
	}()
}

func (t T[K]) get() K { return t.m[0] }

func (*(pair[K, V])) both() {}

func plain() {
	// in a comment
}
`

func TestIdentify(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "d", "p.go"), declarations)
	write(t, filepath.Join(dir, "d", "broken.go"), "package p\nfunc f() {")
	src := newSources(dir)
	for _, test := range []struct {
		file       string
		line       int
		name, text string
	}{
		{"d/p.go", 6, "var mu", "return 1"},
		{"d/p.go", 13, "(*T).put", "t.m[0] = k"},
		{"d/p.go", 17, "T.get", "func (t T[K]) get() K { return t.m[0] }"},
		{"d/p.go", 19, "(*pair).both", "func (*(pair[K, V])) both() {}"},
		{"d/p.go", 22, "plain", "// in a comment"},
		{"d/p.go", 3, "", ""},
		{"d/p.go", 99, "", ""},
		{"d/broken.go", 2, "", ""},
		{"d/nosuch.go", 2, "", ""},
		{filepath.Join(dir, "d", "p.go"), 22, "plain", "// in a comment"},
	} {
		r := report{identity: identity{File: test.file}, Line: test.line}
		src.identify(&r)
		if r.Func != test.name || r.Text != test.text || r.byLine() != (test.name == "") {
			t.Errorf("%s:%d: %q, %q; want %q, %q", test.file, test.line, r.Func, r.Text, test.name, test.text)
		}
	}
}
