// Package bug uploads content through a pipe.
package bug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

var errReset = errors.New("writer has been reset")

// progress is the state of one upload.
type progress struct {
	offset    int64
	committed bool
	updatedAt time.Time
	errClosed error
}

// progressBook holds the state of all uploads.
type progressBook struct {
	mu   sync.Mutex
	refs map[string]progress
}

func newProgressBook() *progressBook {
	return &progressBook{refs: make(map[string]progress)}
}

func (b *progressBook) get(ref string) (progress, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.refs[ref]
	if !ok {
		return progress{}, fmt.Errorf("upload %v: not found", ref)
	}
	return p, nil
}

func (b *progressBook) set(ref string, p progress) {
	b.mu.Lock()
	b.refs[ref] = p
	b.mu.Unlock()
}

// uploadWriter is written to by one goroutine. The pipe leads to the body of
// the request and is waiting in pipeC until the first write.
type uploadWriter struct {
	ref  string
	book *progressBook

	pipeMu sync.Mutex
	pipe   *io.PipeWriter

	pipeC chan *io.PipeWriter
	respC chan *http.Response
	errC  chan error
}

func newUploadWriter(ref string, book *progressBook, first *io.PipeWriter) *uploadWriter {
	book.set(ref, progress{updatedAt: time.Now()})
	w := &uploadWriter{
		ref:   ref,
		book:  book,
		pipeC: make(chan *io.PipeWriter, 1),
		respC: make(chan *http.Response, 1),
		errC:  make(chan error, 1),
	}
	w.pipeC <- first
	return w
}

func (w *uploadWriter) current() *io.PipeWriter {
	w.pipeMu.Lock()
	defer w.pipeMu.Unlock()
	return w.pipe
}

func (w *uploadWriter) use(p *io.PipeWriter) {
	w.pipeMu.Lock()
	w.pipe = p
	w.pipeMu.Unlock()
}

func (w *uploadWriter) fail(err error) {
	w.errC <- err
}

func (w *uploadWriter) answer(resp *http.Response) {
	w.respC <- resp
}

// Write sends a part of the content.
func (w *uploadWriter) Write(b []byte) (int, error) {
	st, err := w.book.get(w.ref)
	if err != nil {
		return 0, err
	}

	pipe := w.current()
	if pipe == nil {
		p, ok := <-w.pipeC
		if !ok {
			return 0, io.ErrClosedPipe
		}
		w.use(p)
		pipe = p
	} else {
		select {
		case p, ok := <-w.pipeC:
			if !ok {
				return 0, io.ErrClosedPipe
			}
			pipe.CloseWithError(errReset)
			w.use(p)
			pipe = p
			if st.offset > 0 {
				st.offset = 0
				st.updatedAt = time.Now()
				w.book.set(w.ref, st)
				return 0, errReset
			}
		default:
		}
	}

	n, err := pipe.Write(b)
	st.offset += int64(n)
	st.updatedAt = time.Now()
	w.book.set(w.ref, st)
	return n, err
}

// Close ends the upload. It may be called several times.
func (w *uploadWriter) Close() error {
	select {
	case _, ok := <-w.pipeC:
		if ok {
			close(w.pipeC)
		}
	default:
		close(w.pipeC)
	}
	if pipe := w.current(); pipe != nil {
		st, err := w.book.get(w.ref)
		if err == nil && !st.committed {
			st.errClosed = errors.New("closed incomplete writer")
			w.book.set(w.ref, st)
		}
		return pipe.Close()
	}
	return nil
}

// Commit waits for the answer of the server.
func (w *uploadWriter) Commit(ctx context.Context) error {
	if pipe := w.current(); pipe != nil {
		pipe.Close()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-w.errC:
		return err
	case resp := <-w.respC:
		if resp.StatusCode >= 300 {
			return fmt.Errorf("unexpected status %v", resp.Status)
		}
	}
	st, err := w.book.get(w.ref)
	if err != nil {
		return err
	}
	st.committed = true
	st.updatedAt = time.Now()
	w.book.set(w.ref, st)
	return nil
}

// upload copies the content and gives up when the context ends.
func upload(ctx context.Context, w *uploadWriter, r io.Reader) error {
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-ctx.Done():
			w.Close()
		case <-done:
		}
	}()
	defer w.Close()
	if _, err := io.Copy(w, r); err != nil {
		return err
	}
	return w.Commit(ctx)
}
