package weird

import (
	"go/ast"
	"sync"
)

// A field of another package of which nothing is known, written under one lock from
// what was read under another.

type decls struct {
	mu  sync.Mutex
	all []ast.Decl

	fileMu sync.Mutex
	file   *ast.File
}

func (d *decls) Add(x ast.Decl) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, x)
}

func (d *decls) Write() {
	d.mu.Lock()
	all := d.all[:len(d.all):len(d.all)]
	d.mu.Unlock()
	d.fileMu.Lock()
	d.file.Decls = all
	d.fileMu.Unlock()
}
