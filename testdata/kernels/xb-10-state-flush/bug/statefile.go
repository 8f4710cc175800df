// Package statefile keeps small pieces of daemon state in memory and writes
// them to disk in the background.
package statefile

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// File is a set of named values backed by a JSON file. It is safe for
// concurrent use.
type File struct {
	path string
	stop chan struct{}
	done chan struct{}

	writeMu sync.Mutex // one writer of the file on disk at a time

	mu     sync.RWMutex
	values map[string]json.RawMessage
	dirty  bool
}

// Open reads the file at path, which need not exist, and writes changes back
// every period.
func Open(path string, period time.Duration) (*File, error) {
	f := &File{
		path:   path,
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
		values: make(map[string]json.RawMessage),
	}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(data, &f.values); err != nil {
			return nil, err
		}
	}
	go f.run(period)
	return f, nil
}

// Get decodes the named value into v and reports whether it is set.
func (f *File) Get(name string, v any) (bool, error) {
	f.mu.RLock()
	raw, ok := f.values[name]
	f.mu.RUnlock()
	if !ok {
		return false, nil
	}
	return true, json.Unmarshal(raw, v)
}

// Set stores v under name. It is on disk one period later at the latest.
func (f *File) Set(name string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.values[name] = raw
	f.dirty = true
	return nil
}

// Delete removes the named value.
func (f *File) Delete(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.values[name]; ok {
		delete(f.values, name)
		f.dirty = true
	}
}

// Flush writes pending changes to disk.
func (f *File) Flush() error {
	f.writeMu.Lock()
	defer f.writeMu.Unlock()

	data, err := f.pending()
	if err != nil || data == nil {
		return err
	}
	if err := replace(f.path, data); err != nil {
		return err
	}
	f.markClean()
	return nil
}

// pending encodes the values, or returns nil if there is nothing to write.
func (f *File) pending() ([]byte, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if !f.dirty {
		return nil, nil
	}
	return json.MarshalIndent(f.values, "", "  ")
}

func (f *File) markClean() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dirty = false
}

// replace writes data to a file beside path and renames it into place.
func replace(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

func (f *File) run(period time.Duration) {
	defer close(f.done)
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = f.Flush() // tried again at the next tick
		case <-f.stop:
			return
		}
	}
}

// Close stops the background writer and flushes. It is called once.
func (f *File) Close() error {
	close(f.stop)
	<-f.done
	return f.Flush()
}
