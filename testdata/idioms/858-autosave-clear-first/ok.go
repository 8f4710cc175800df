// Package autosave keeps shared notes on disk while people edit them.
package autosave

import (
	"fmt"
	"log"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Disk stores the text of a note.
type Disk interface {
	WriteNote(id string, lines []string) error
}

// Note is an open note. Its editing methods are safe for concurrent use; each
// participant has a goroutine that calls them.
type Note struct {
	ID   string
	disk Disk

	mu    sync.RWMutex
	lines []string

	unsaved atomic.Bool
	stop    chan struct{}
	stopped sync.WaitGroup
}

// Open starts to keep the note with the given text.
func Open(id string, lines []string, d Disk, period time.Duration) *Note {
	n := &Note{ID: id, disk: d, lines: append([]string(nil), lines...), stop: make(chan struct{})}
	n.stopped.Add(1)
	go n.saver(period)
	return n
}

// touch notes that there is something to save.
func (n *Note) touch() { n.unsaved.Store(true) }

// insertAfter puts a line below the first line with the text anchor.
func (n *Note) insertAfter(anchor, line string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.Index(n.lines, anchor)
	if i < 0 {
		return fmt.Errorf("autosave: note %s has no line %q", n.ID, anchor)
	}
	n.lines = slices.Insert(n.lines, i+1, line)
	return nil
}

// InsertAfter puts a line below the first line with the text anchor.
func (n *Note) InsertAfter(anchor, line string) error {
	if err := n.insertAfter(anchor, line); err != nil {
		return err
	}
	n.touch()
	return nil
}

// add puts a line at the end.
func (n *Note) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

// Add puts a line at the end.
func (n *Note) Add(line string) {
	n.add(line)
	n.touch()
}

// remove deletes the first line with that text.
func (n *Note) remove(line string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.Index(n.lines, line)
	if i < 0 {
		return false
	}
	n.lines = slices.Delete(n.lines, i, i+1)
	return true
}

// Remove deletes the first line with that text, if there is one.
func (n *Note) Remove(line string) {
	if n.remove(line) {
		n.touch()
	}
}

// Lines returns a copy of the text.
func (n *Note) Lines() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return append([]string(nil), n.lines...)
}

// save writes the note if it changed since it was written. Only one goroutine
// at a time calls it: the saver, and Close after the saver.
func (n *Note) save() error {
	if !n.unsaved.Swap(false) {
		return nil
	}
	if err := n.disk.WriteNote(n.ID, n.Lines()); err != nil {
		n.touch()
		return err
	}
	return nil
}

func (n *Note) saver(period time.Duration) {
	defer n.stopped.Done()
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := n.save(); err != nil {
				log.Printf("autosave: note %s: %v", n.ID, err)
			}
		case <-n.stop:
			return
		}
	}
}

// Close saves what is left. The participants are gone by then, and it is
// called once.
func (n *Note) Close() error {
	close(n.stop)
	n.stopped.Wait()
	return n.save()
}
