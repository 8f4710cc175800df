// Package a shares the fonts of a renderer between documents.
package a

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"sync"
)

var (
	ErrEmpty   = errors.New("fonts: file is empty")
	errAborted = errors.New("fonts: reading was aborted")
)

// Face is a font in memory; it is not changed after it was read.
type Face struct {
	name string
	data []byte
}

// Advance returns the width of a rune in font units.
func (f *Face) Advance(r rune) int {
	return int(f.data[int(r)%len(f.data)])
}

// reading is a font that is being read. The result is set before done is
// closed.
type reading struct {
	done chan struct{}
	face *Face
	err  error
}

// Library reads each font when it is first used. Errors are not kept.
type Library struct {
	files fs.FS

	mu       sync.Mutex
	faces    map[string]*Face
	readings map[string]*reading
}

// NewLibrary returns a library over a directory of fonts.
func NewLibrary(files fs.FS) *Library {
	return &Library{
		files:    files,
		faces:    make(map[string]*Face),
		readings: make(map[string]*reading),
	}
}

// Face returns the face of a font.
func (l *Library) Face(name string) (*Face, error) {
	l.mu.Lock()
	if f, ok := l.faces[name]; ok {
		l.mu.Unlock()
		return f, nil
	}
	if r, ok := l.readings[name]; ok {
		l.mu.Unlock()
		<-r.done
		return r.face, r.err
	}
	r := &reading{done: make(chan struct{}), err: errAborted}
	l.readings[name] = r
	l.mu.Unlock()

	defer l.finish(name, r)
	r.face, r.err = l.read(name)
	return r.face, r.err
}

// finish hands the result to those who wait, also when reading panics.
func (l *Library) finish(name string, r *reading) {
	l.mu.Lock()
	delete(l.readings, name)
	if r.err == nil {
		l.faces[name] = r.face
	}
	l.mu.Unlock()
	close(r.done)
}

func (l *Library) read(name string) (*Face, error) {
	data, err := fs.ReadFile(l.files, path.Join("fonts", name+".ttf"))
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, ErrEmpty
	}
	return &Face{name: name, data: data}, nil
}

// Names lists the fonts that have been read.
func (l *Library) Names() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var names []string
	for n := range l.faces {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
