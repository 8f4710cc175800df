package a

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrNoFile is returned by Enable when the first file cannot be created.
var ErrNoFile = errors.New("binlog: no file")

// Opener creates the file with the given name.
type Opener func(name string) (io.WriteCloser, error)

// Binlog records committed events in a series of numbered files.
type Binlog struct {
	open Opener
	base string

	mu    sync.Mutex
	cur   io.WriteCloser // nil when logging is switched off
	seq   int
	size  int64
	names []string
}

// NewBinlog returns a log that is switched off.
func NewBinlog(base string, open Opener) *Binlog {
	return &Binlog{open: open, base: base}
}

// Enable switches logging on and starts the first file.
func (b *Binlog) Enable() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cur != nil {
		return nil
	}
	name := b.nextName()
	w, err := b.open(name)
	if err != nil {
		return errors.Join(ErrNoFile, err)
	}
	b.cur = w
	b.size = 0
	b.names = append(b.names, name)
	return nil
}

// Disable closes the current file and switches logging off.
func (b *Binlog) Disable() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cur == nil {
		return nil
	}
	err := b.cur.Close()
	b.cur = nil
	return err
}

// Append writes one event. With logging switched off it does nothing.
func (b *Binlog) Append(ev []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cur == nil {
		return nil
	}
	n, err := b.cur.Write(ev)
	b.size += int64(n)
	return err
}

// Rotate finishes the current file and goes on in the next one.
func (b *Binlog) Rotate() error {
	b.mu.Lock()
	if b.cur == nil {
		b.mu.Unlock()
		return nil
	}
	old, name := b.cur, b.nextName()
	b.cur = nil
	b.mu.Unlock()

	if err := old.Close(); err != nil {
		return err
	}
	w, err := b.open(name)
	if err != nil {
		return err
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	b.cur = w
	b.size = 0
	b.names = append(b.names, name)
	return nil
}

// Size reports the bytes written to the current file.
func (b *Binlog) Size() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.size
}

// Files lists the names of all files so far.
func (b *Binlog) Files() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.names...)
}

func (b *Binlog) nextName() string {
	b.seq++
	return fmt.Sprintf("%s.%06d", b.base, b.seq)
}
