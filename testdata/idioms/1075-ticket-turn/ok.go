// Package segment writes the records of a message queue to a segment file, in
// the order of their sequence numbers.
package segment

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// ErrTooLarge is returned for records that do not fit the format.
var ErrTooLarge = errors.New("segment: record too large")

const (
	headerSize = 12
	maxRecord  = 1 << 24
)

// Position tells where a record is.
type Position struct {
	Seq    uint64
	Offset int64
}

// Writer appends records. Producers call Append concurrently; readers use Size
// and Offset while it goes on.
type Writer struct {
	w io.WriterAt

	mu      sync.Mutex
	cond    *sync.Cond
	next    uint64  // next sequence number to give out
	turn    uint64  // the one that may write
	size    int64   // of the file
	offsets []int64 // by sequence number
	err     error
}

// NewWriter returns a writer for an empty segment.
func NewWriter(w io.WriterAt) *Writer {
	s := &Writer{w: w}
	s.cond = sync.NewCond(&s.mu)
	return s
}

// Append writes a record and returns its position.
func (s *Writer) Append(rec []byte) (Position, error) {
	if len(rec) > maxRecord {
		return Position{}, ErrTooLarge
	}

	s.mu.Lock()
	seq := s.next
	s.next++
	s.mu.Unlock()

	// The frame needs the number; it is made while others write.
	frame := encode(seq, rec)

	s.mu.Lock()
	for s.turn != seq {
		s.cond.Wait()
	}
	base, err := s.size, s.err
	s.mu.Unlock()

	if err == nil {
		_, err = s.w.WriteAt(frame, base)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = seq + 1
	s.cond.Broadcast()
	if err != nil {
		s.err = err
		return Position{}, err
	}
	s.size = base + int64(len(frame))
	s.offsets = append(s.offsets, base)
	return Position{Seq: seq, Offset: base}, nil
}

func encode(seq uint64, rec []byte) []byte {
	frame := make([]byte, 0, headerSize+len(rec))
	frame = binary.BigEndian.AppendUint64(frame, seq)
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(rec)))
	return append(frame, rec...)
}

// Size returns the size of the part of the file that is written.
func (s *Writer) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Offset returns the place of a written record.
func (s *Writer) Offset(seq uint64) (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq >= uint64(len(s.offsets)) {
		return 0, false
	}
	return s.offsets[seq], true
}

// Err returns the first failed write. Nothing is written after it.
func (s *Writer) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
