// Package a shares the fonts of a renderer between documents.
package a

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"sync"
)

var ErrEmpty = errors.New("fonts: file is empty")

// Face is a font in memory. All documents that use a font share one Face, so
// that an override made for one of them holds for all.
type Face struct {
	name string
	data []byte

	mu       sync.RWMutex
	advances map[rune]int
}

// Override sets the advance width of a rune.
func (f *Face) Override(r rune, units int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.advances[r] = units
}

// Advance returns the width of a rune in font units.
func (f *Face) Advance(r rune) int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if w, ok := f.advances[r]; ok {
		return w
	}
	return int(f.data[int(r)%len(f.data)])
}

// Overrides returns a copy of the overrides.
func (f *Face) Overrides() map[rune]int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return maps.Clone(f.advances)
}

// Library reads fonts on demand. A face stays for the life of the library.
type Library struct {
	files fs.FS
	faces sync.Map // name to *Face
}

// NewLibrary returns a library over a directory of fonts.
func NewLibrary(files fs.FS) *Library {
	return &Library{files: files}
}

func (l *Library) read(name string) (*Face, error) {
	data, err := fs.ReadFile(l.files, path.Join("fonts", name+".ttf"))
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, ErrEmpty
	}
	return &Face{name: name, data: data, advances: make(map[rune]int)}, nil
}

// Face returns the shared face of a font.
func (l *Library) Face(name string) (*Face, error) {
	if v, ok := l.faces.Load(name); ok {
		return v.(*Face), nil
	}
	f, err := l.read(name)
	if err != nil {
		return nil, err
	}
	v, _ := l.faces.LoadOrStore(name, f)
	return v.(*Face), nil
}

// Width returns the width of a text in font units.
func (l *Library) Width(name, text string) (int, error) {
	f, err := l.Face(name)
	if err != nil {
		return 0, err
	}
	w := 0
	for _, r := range text {
		w += f.Advance(r)
	}
	return w, nil
}

// Bytes returns the memory that the fonts take.
func (l *Library) Bytes() int {
	n := 0
	l.faces.Range(func(_, v any) bool {
		n += len(v.(*Face).data)
		return true
	})
	return n
}
