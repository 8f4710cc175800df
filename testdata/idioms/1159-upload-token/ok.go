// Correct: the one-place channel turn is a lock that can be waited for with a
// context. All who change an upload hold it from start to end; the mutex
// inside is only for Status, which does not wait.
package ok

import (
	"context"
	"errors"
	"sync"
)

// ErrState is returned for a call that does not fit the upload's state.
var ErrState = errors.New("upload is not open")

// Blob is where the bytes go.
type Blob interface {
	WriteAt(p []byte, off int64) (int, error)
	Truncate(size int64) error
	Commit(size int64) error
}

// Status is what a client may ask for.
type Status struct {
	Size int64
	Done bool
}

// Upload is a blob that is sent in parts.
type Upload struct {
	blob Blob
	turn chan struct{}

	mu sync.Mutex
	st Status
}

func NewUpload(b Blob) *Upload {
	return &Upload{blob: b, turn: make(chan struct{}, 1)}
}

func (u *Upload) enter(ctx context.Context) error {
	select {
	case u.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (u *Upload) leave() { <-u.turn }

// Status does not wait for a running part.
func (u *Upload) Status() Status {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.st
}

func (u *Upload) set(st Status) {
	u.mu.Lock()
	u.st = st
	u.mu.Unlock()
}

// Append adds a part at the end and returns the new size.
func (u *Upload) Append(ctx context.Context, p []byte) (int64, error) {
	if err := u.enter(ctx); err != nil {
		return 0, err
	}
	defer u.leave()
	st := u.Status()
	if st.Done {
		return st.Size, ErrState
	}
	n, err := u.blob.WriteAt(p, st.Size)
	st.Size += int64(n)
	u.set(st)
	return st.Size, err
}

// Rewind throws away what is behind size.
func (u *Upload) Rewind(ctx context.Context, size int64) error {
	if err := u.enter(ctx); err != nil {
		return err
	}
	defer u.leave()
	st := u.Status()
	if st.Done || size > st.Size {
		return ErrState
	}
	if err := u.blob.Truncate(size); err != nil {
		return err
	}
	u.set(Status{Size: size})
	return nil
}

// Commit ends the upload.
func (u *Upload) Commit(ctx context.Context) (int64, error) {
	if err := u.enter(ctx); err != nil {
		return 0, err
	}
	defer u.leave()
	st := u.Status()
	if st.Done {
		return st.Size, ErrState
	}
	if err := u.blob.Commit(st.Size); err != nil {
		return st.Size, err
	}
	st.Done = true
	u.set(st)
	return st.Size, nil
}
