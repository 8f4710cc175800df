package a

import (
	"strings"
	"sync"
	"unicode"
)

// TextFrame shows a part of a text in a box of a given width.
type TextFrame struct {
	advance func(r rune) int

	mu     sync.RWMutex
	text   []rune
	width  int
	offset int // first rune shown
	length int // number of runes shown
	marks  map[int]string
}

// NewTextFrame returns an empty frame; advance is the width of a rune.
func NewTextFrame(width int, advance func(rune) int) *TextFrame {
	return &TextFrame{
		advance: advance,
		width:   width,
		marks:   make(map[int]string),
	}
}

// SetText replaces the text; nothing is shown until the next Reflow.
func (f *TextFrame) SetText(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text = []rune(s)
	f.offset, f.length = 0, 0
	clear(f.marks)
}

// Mark attaches a name to the rune at position i.
func (f *TextFrame) Mark(i int, name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i < 0 || i >= len(f.text) {
		return false
	}
	f.marks[i] = name
	return true
}

// Reflow shows the text from offset on, as much of it as fits into the frame.
func (f *TextFrame) Reflow(offset int) {
	f.mu.Lock()
	f.offset = min(max(offset, 0), len(f.text))
	rest, width := f.text[f.offset:], f.width

	n := f.fit(rest, width)

	f.length = n
	f.mu.Unlock()
}

// Visible returns the part of the text that is shown.
func (f *TextFrame) Visible() string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return string(f.text[f.offset : f.offset+f.length])
}

// Marks returns the names of the marks that are shown.
func (f *TextFrame) Marks() string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	var out []string
	for i := f.offset; i < f.offset+f.length; i++ {
		if name, ok := f.marks[i]; ok {
			out = append(out, name)
		}
	}
	return strings.Join(out, ",")
}

// fit counts the runes that go into width, up to the last blank.
func (f *TextFrame) fit(rest []rune, width int) int {
	used, last := 0, 0
	for i, r := range rest {
		used += f.advance(r)
		if used > width {
			if last > 0 {
				return last
			}
			return i
		}
		if unicode.IsSpace(r) {
			last = i + 1
		}
	}
	return len(rest)
}
