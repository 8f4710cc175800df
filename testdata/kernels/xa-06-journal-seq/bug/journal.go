// Package journal writes the operations of a store to an append-only file and
// reads them back at start.
package journal

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Kind tells what a record is about.
type Kind uint8

// The kinds of records.
const (
	KindPut Kind = iota + 1
	KindDelete
	KindMark
)

const (
	headerLen  = 8 + 1 + 4 + 4 // sequence number, kind, length, checksum
	maxPayload = 1 << 20
)

var (
	// ErrTooLarge is returned for a payload that does not fit a record.
	ErrTooLarge = errors.New("journal: payload too large")
	// ErrCorrupt is returned by Replay at the first record that is not the
	// successor of the one before it.
	ErrCorrupt = errors.New("journal: corrupt")
)

// Record is one entry of the journal.
type Record struct {
	Seq     uint64
	Kind    Kind
	Payload []byte
}

// Writer appends records. It is safe for concurrent use.
type Writer struct {
	out io.Writer

	// lock holds one token. Whoever takes it owns the fields below.
	lock chan struct{}
	last uint64
	size int64
	err  error // first write error; the journal ends there
}

// NewWriter returns a Writer that continues after the record numbered last.
func NewWriter(out io.Writer, last uint64) *Writer {
	w := &Writer{out: out, lock: make(chan struct{}, 1), last: last}
	w.lock <- struct{}{}
	return w
}

// acquire takes the token, or gives up with ctx.
func (w *Writer) acquire(ctx context.Context) error {
	select {
	case <-w.lock:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// release puts the token back.
func (w *Writer) release() { w.lock <- struct{}{} }

// next assigns a sequence number.
func (w *Writer) next(ctx context.Context) (uint64, error) {
	if err := w.acquire(ctx); err != nil {
		return 0, err
	}
	defer w.release()
	if w.err != nil {
		return 0, w.err
	}
	w.last++
	return w.last, nil
}

// write puts an encoded record at the end of the file.
func (w *Writer) write(buf []byte) error {
	<-w.lock
	defer w.release()
	if w.err != nil {
		return w.err
	}
	n, err := w.out.Write(buf)
	w.size += int64(n)
	w.err = err
	return err
}

// Append writes a record and returns its sequence number.
func (w *Writer) Append(ctx context.Context, kind Kind, payload []byte) (uint64, error) {
	if len(payload) > maxPayload {
		return 0, ErrTooLarge
	}
	seq, err := w.next(ctx)
	if err != nil {
		return 0, err
	}
	if err := w.write(encode(seq, kind, payload)); err != nil {
		return 0, err
	}
	return seq, nil
}

// Size returns the bytes written so far.
func (w *Writer) Size() int64 {
	<-w.lock
	defer w.release()
	return w.size
}

// encode returns the bytes of a record.
func encode(seq uint64, kind Kind, payload []byte) []byte {
	buf := make([]byte, headerLen+len(payload))
	binary.BigEndian.PutUint64(buf[0:], seq)
	buf[8] = byte(kind)
	binary.BigEndian.PutUint32(buf[9:], uint32(len(payload)))
	binary.BigEndian.PutUint32(buf[13:], crc32.ChecksumIEEE(payload))
	copy(buf[headerLen:], payload)
	return buf
}

// Replay calls fn for the records after the one numbered last, in order, and
// returns the number of the last one. A record that was cut off at the end of
// the file is left out.
func Replay(in io.Reader, last uint64, fn func(Record) error) (uint64, error) {
	r := bufio.NewReader(in)
	var head [headerLen]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return last, nil
			}
			return last, err
		}
		rec := Record{Seq: binary.BigEndian.Uint64(head[0:]), Kind: Kind(head[8])}
		n := binary.BigEndian.Uint32(head[9:])
		if rec.Seq != last+1 || n > maxPayload {
			return last, fmt.Errorf("record %d after %d: %w", rec.Seq, last, ErrCorrupt)
		}
		rec.Payload = make([]byte, n)
		if _, err := io.ReadFull(r, rec.Payload); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return last, nil
			}
			return last, err
		}
		if crc32.ChecksumIEEE(rec.Payload) != binary.BigEndian.Uint32(head[13:]) {
			return last, fmt.Errorf("record %d: %w", rec.Seq, ErrCorrupt)
		}
		if err := fn(rec); err != nil {
			return last, err
		}
		last = rec.Seq
	}
}
