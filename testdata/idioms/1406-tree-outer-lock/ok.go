// Package tree is a flat in-memory file tree with cheap reads.
package tree

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

var (
	ErrExist    = errors.New("tree: file exists")
	ErrNotExist = errors.New("tree: file does not exist")
)

type File struct {
	Data string
	Mode uint32
}

// index is the table of files by path.
type index struct {
	sync.RWMutex
	files map[string]File
}

func (ix *index) get(path string) (File, bool) {
	ix.RLock()
	defer ix.RUnlock()
	f, ok := ix.files[path]
	return f, ok
}

func (ix *index) put(path string, f File) {
	ix.Lock()
	defer ix.Unlock()
	ix.files[path] = f
}

func (ix *index) move(from, to string, f File) {
	ix.Lock()
	defer ix.Unlock()
	delete(ix.files, from)
	ix.files[to] = f
}

// Journal records a change before it is made; it may block on the disk.
type Journal func(op string, args ...string) error

type Tree struct {
	writer  sync.Mutex
	journal Journal
	ix      index
}

func New(j Journal) *Tree {
	return &Tree{journal: j, ix: index{files: make(map[string]File)}}
}

func (t *Tree) Read(path string) (string, error) {
	f, ok := t.ix.get(path)
	if !ok {
		return "", ErrNotExist
	}
	return f.Data, nil
}

func (t *Tree) Create(path, data string, mode uint32) error {
	t.writer.Lock()
	defer t.writer.Unlock()
	if _, ok := t.ix.get(path); ok {
		return ErrExist
	}
	if err := t.journal("create", path); err != nil {
		return err
	}
	t.ix.put(path, File{Data: data, Mode: mode})
	return nil
}

func (t *Tree) Append(path, data string) error {
	t.writer.Lock()
	defer t.writer.Unlock()
	f, ok := t.ix.get(path)
	if !ok {
		return ErrNotExist
	}
	if err := t.journal("append", path, data); err != nil {
		return err
	}
	f.Data += data
	t.ix.put(path, f)
	return nil
}

func (t *Tree) Rename(from, to string) error {
	t.writer.Lock()
	defer t.writer.Unlock()
	f, ok := t.ix.get(from)
	if !ok {
		return ErrNotExist
	}
	if _, taken := t.ix.get(to); taken {
		return ErrExist
	}
	if err := t.journal("rename", from, to); err != nil {
		return err
	}
	t.ix.move(from, to, f)
	return nil
}

func (t *Tree) List(prefix string) []string {
	t.ix.RLock()
	defer t.ix.RUnlock()
	var out []string
	for p := range t.ix.files {
		if strings.HasPrefix(p, prefix) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}
