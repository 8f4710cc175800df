package model

import (
	"log"
	"os"
	"sync"
	"time"
)

type BlockInfo struct {
	Offset int64
	Data   []byte
}

// A sharedPullerState is kept for each file that is being synced and is kept
// updated along the way.
type sharedPullerState struct {
	// Immutable, does not require locking
	file     string
	tempName string

	// Mutable, must be locked for access
	err        error           // The first error we hit
	writer     *lockedWriterAt // Wraps fd to prevent fd closing at the same time as writing
	copyNeeded int             // Number of copy actions still pending
	pullNeeded int             // Number of block pulls still pending
	updated    time.Time       // Time when any of the counters above were last updated
	closed     bool            // True if the file has been finalClosed.
	mut        sync.RWMutex    // Protects the above
}

// lockedWriterAt adds a lock to protect from closing the fd at the same time as writing.
// WriteAt() is goroutine safe by itself, but not against for example Close().
type lockedWriterAt struct {
	mut sync.RWMutex
	fd  *os.File
}

// WriteAt itself is goroutine safe, thus just needs to acquire a read-lock to
// prevent closing concurrently (see SyncClose).
func (w *lockedWriterAt) WriteAt(p []byte, off int64) (n int, err error) {
	w.mut.RLock()
	defer w.mut.RUnlock()
	return w.fd.WriteAt(p, off)
}

// SyncClose ensures that no more writes are happening before going ahead and
// syncing and closing the fd, thus needs to acquire a write-lock.
func (w *lockedWriterAt) SyncClose() error {
	w.mut.Lock()
	defer w.mut.Unlock()
	if err := w.fd.Sync(); err != nil {
		// Sync() is nice if it works but not worth failing the
		// operation over if it fails.
		log.Printf("fsync failed: %v", err)
	}
	return w.fd.Close()
}

// tempFile returns the fd for the temporary file, reusing an open fd
// or creating the file as necessary.
func (s *sharedPullerState) tempFile() (*lockedWriterAt, error) {
	s.mut.Lock()
	defer s.mut.Unlock()

	// If we've already hit an error, return early
	if s.err != nil {
		return nil, s.err
	}

	// If the temp file is already open, return the file descriptor
	if s.writer != nil {
		return s.writer, nil
	}

	fd, err := os.OpenFile(s.tempName, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		s.err = err
		return nil, err
	}
	s.writer = &lockedWriterAt{fd: fd}
	return s.writer, nil
}

// fail sets the error on the puller state compose of error, and marks the
// sharedPullerState as failed. Is a no-op when called on an already failed state.
func (s *sharedPullerState) fail(err error) {
	s.mut.Lock()
	defer s.mut.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *sharedPullerState) failed() error {
	s.mut.RLock()
	defer s.mut.RUnlock()
	return s.err
}

func (s *sharedPullerState) pullStarted() {
	s.mut.Lock()
	s.copyNeeded--
	s.pullNeeded++
	s.updated = time.Now()
	s.mut.Unlock()
}

func (s *sharedPullerState) copyDone() {
	s.mut.Lock()
	s.copyNeeded--
	s.updated = time.Now()
	s.mut.Unlock()
}

func (s *sharedPullerState) pullDone() {
	s.mut.Lock()
	s.pullNeeded--
	s.updated = time.Now()
	s.mut.Unlock()
}

// finalClose atomically closes and returns closed status of a file. A true
// first return value means the file was closed and should be finished, with
// the error indicating the success or failure of the close. A false first
// return value indicates the file is not ready to be closed, or is already
// closed and should in either case not be finished off now.
func (s *sharedPullerState) finalClose() (bool, error) {
	s.mut.Lock()
	defer s.mut.Unlock()

	if s.closed {
		// Already closed
		return false, nil
	}

	if s.pullNeeded+s.copyNeeded != 0 && s.err == nil {
		// Not done yet, and not errored
		return false, nil
	}

	if s.writer != nil {
		if err := s.writer.SyncClose(); err != nil && s.err == nil {
			// This is our error as we weren't errored before.
			s.err = err
		}
		s.writer = nil
	}

	s.closed = true

	return true, s.err
}

type pullBlockState struct {
	*sharedPullerState
	block BlockInfo
}

type folder struct {
	fetch func(BlockInfo) ([]byte, error)
	done  func(file string, err error)
}

// pullerRoutine is one of several goroutines that pull blocks.
func (f *folder) pullerRoutine(in <-chan pullBlockState, out chan<- *sharedPullerState) {
	for state := range in {
		if state.failed() != nil {
			out <- state.sharedPullerState
			continue
		}
		f.pullBlock(state, out)
	}
}

func (f *folder) pullBlock(state pullBlockState, out chan<- *sharedPullerState) {
	// Get an fd to the temporary file. Technically we don't need it until
	// after fetching the block, but if we run into an error here there is
	// no point in issuing the request to the network.
	fd, err := state.tempFile()
	if err != nil {
		out <- state.sharedPullerState
		return
	}
	buf, err := f.fetch(state.block)
	if err == nil {
		_, err = fd.WriteAt(buf, state.block.Offset)
	}
	if err != nil {
		state.fail(err)
	} else {
		state.pullDone()
	}
	out <- state.sharedPullerState
}

func (f *folder) finisherRoutine(in <-chan *sharedPullerState) {
	for state := range in {
		if closed, err := state.finalClose(); closed {
			f.done(state.file, err)
		}
	}
}
