package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrNoSubConn  = errors.New("no subconn is available")
	ErrClientDone = errors.New("the client connection is closing")
)

// Picker chooses the connection of an RPC.
type Picker interface {
	Pick() (conn string, err error)
}

// pickerGeneration stores a picker and a channel used to signal that a newer
// picker is available.
type pickerGeneration struct {
	picker     Picker
	blockingCh chan struct{}
}

// pickerWrapper blocks on certain pick actions until a new picker is set.
type pickerWrapper struct {
	pickerGen atomic.Pointer[pickerGeneration]
	closeOnce sync.Once
	done      chan struct{}
}

func newPickerWrapper() *pickerWrapper {
	pw := &pickerWrapper{done: make(chan struct{})}
	pw.pickerGen.Store(&pickerGeneration{blockingCh: make(chan struct{})})
	return pw
}

// UpdatePicker sets the picker and unblocks all pick calls of the old one.
func (pw *pickerWrapper) UpdatePicker(p Picker) {
	old := pw.pickerGen.Swap(&pickerGeneration{picker: p, blockingCh: make(chan struct{})})
	close(old.blockingCh)
}

// Pick returns the connection that will be used for the RPC; it blocks while
// there is no picker, or the picker has no connection.
func (pw *pickerWrapper) Pick(ctx context.Context) (string, error) {
	for {
		pg := pw.pickerGen.Load()
		if pg.picker != nil {
			conn, err := pg.picker.Pick()
			if !errors.Is(err, ErrNoSubConn) {
				return conn, err
			}
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-pw.done:
			return "", ErrClientDone
		case <-pg.blockingCh:
		}
	}
}

// Close fails the blocked picks.
func (pw *pickerWrapper) Close() {
	pw.closeOnce.Do(func() { close(pw.done) })
}
