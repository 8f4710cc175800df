// Package roster keeps the duty roster of a fire station in memory and writes
// it to a file in the background.
package roster

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrClosed is returned once the roster has been closed.
var ErrClosed = errors.New("roster: closed")

const retryAfter = 2 * time.Second

// Roster says who is on duty in which shift. It is safe for concurrent use.
type Roster struct {
	path string
	idle chan struct{} // closed when the flusher has ended

	mu     sync.Mutex
	cond   *sync.Cond // on mu: any of the fields below has changed
	duty   map[string]string
	gen    uint64 // number of the latest change
	saved  uint64 // latest change that is in the file
	err    error  // outcome of the latest write
	closed bool
}

// Open reads the roster from a file, which need not exist yet.
func Open(path string) (*Roster, error) {
	r := &Roster{path: path, idle: make(chan struct{}), duty: make(map[string]string)}
	r.cond = sync.NewCond(&r.mu)
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &r.duty)
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("roster: %w", err)
	}
	go r.flusher()
	return r, nil
}

// Assign puts a person on a shift. An empty person clears the shift.
func (r *Roster) Assign(shift, person string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	if person == "" {
		delete(r.duty, shift)
	} else {
		r.duty[shift] = person
	}
	r.gen++
	r.cond.Broadcast()
	return nil
}

// OnDuty returns who has a shift.
func (r *Roster) OnDuty(shift string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.duty[shift]
	return p, ok
}

// Sync returns when all changes made before the call are in the file, or when
// the latest attempt to write it has failed.
func (r *Roster) Sync() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	want := r.gen
	for r.saved < want && r.err == nil {
		r.cond.Wait()
	}
	if r.saved >= want {
		return nil
	}
	return r.err
}

// Close writes what is left to write and ends the flusher. Changes are no
// longer accepted.
func (r *Roster) Close() error {
	r.mu.Lock()
	r.closed = true
	r.cond.Broadcast()
	r.mu.Unlock()
	<-r.idle
	return r.Sync()
}

// flusher writes the file whenever there are changes that are not in it. It
// is the only one who does.
func (r *Roster) flusher() {
	defer close(r.idle)
	for r.pending() {
		if !r.flush() {
			time.Sleep(retryAfter)
		}
	}
}

// pending waits for changes to write. It returns false when the roster has
// been closed and there are none, or they cannot be written.
func (r *Roster) pending() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.saved == r.gen && !r.closed {
		r.cond.Wait()
	}
	return r.saved != r.gen && !(r.closed && r.err != nil)
}

// flush writes the file once.
func (r *Roster) flush() bool {
	duty := r.copyDuty()
	err := r.write(duty)
	r.noteWritten(err)
	return err == nil
}

func (r *Roster) copyDuty() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.duty)
}

// noteWritten takes note of the outcome of a write.
func (r *Roster) noteWritten(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.saved = r.gen
	}
	r.err = err
	r.cond.Broadcast()
}

// write replaces the file.
func (r *Roster) write(duty map[string]string) error {
	raw, err := json.MarshalIndent(duty, "", "\t")
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(r.path), ".roster-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(raw); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), r.path)
}
