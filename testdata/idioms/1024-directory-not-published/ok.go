// Package keydir holds the positions of all keys of a store in memory.
package keydir

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// Position says where a value is on disk.
type Position struct {
	File   uint32
	Offset int64
}

func (p Position) newer(q Position) bool {
	return p.File > q.File || p.File == q.File && p.Offset > q.Offset
}

// Change is a position that the writer or the merger reports.
type Change struct {
	Key string
	Pos Position
}

// Directory is safe for concurrent use.
type Directory struct {
	mu  sync.RWMutex
	pos map[string]Position
}

// Open builds the directory from the hint file, in which a key may occur
// several times and in any order, and then follows the changes.
func Open(hints io.Reader, changes <-chan Change) (*Directory, error) {
	d := &Directory{pos: make(map[string]Position)}
	sc := bufio.NewScanner(hints)
	for line := 1; sc.Scan(); line++ {
		c, err := parseHint(sc.Text())
		if err != nil {
			return nil, fmt.Errorf("keydir: line %d: %w", line, err)
		}
		if old, ok := d.Get(c.Key); ok && old.newer(c.Pos) {
			continue
		}
		d.put(c.Key, c.Pos)
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	go d.follow(changes)
	return d, nil
}

func (d *Directory) follow(changes <-chan Change) {
	for c := range changes {
		d.Update(c)
	}
}

// Get returns the position of a key.
func (d *Directory) Get(key string) (Position, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	p, ok := d.pos[key]
	return p, ok
}

func (d *Directory) put(key string, p Position) {
	d.mu.Lock()
	d.pos[key] = p
	d.mu.Unlock()
}

// Update moves a key unless its known position is newer.
func (d *Directory) Update(c Change) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.pos[c.Key]; ok && old.newer(c.Pos) {
		return false
	}
	d.pos[c.Key] = c.Pos
	return true
}

// Len returns the number of keys.
func (d *Directory) Len() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return len(d.pos)
}

func parseHint(line string) (Change, error) {
	f := strings.Fields(line)
	if len(f) != 3 {
		return Change{}, fmt.Errorf("bad hint %q", line)
	}
	file, err := strconv.ParseUint(f[1], 10, 32)
	if err != nil {
		return Change{}, err
	}
	off, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return Change{}, err
	}
	return Change{Key: f[0], Pos: Position{File: uint32(file), Offset: off}}, nil
}
