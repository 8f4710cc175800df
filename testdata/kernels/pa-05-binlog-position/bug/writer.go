package binlog

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const headerSize = 4

var fileMagic = []byte{0xfe, 'b', 'i', 'n'}

// Opener creates the file with the given number.
type Opener func(file uint64) (io.WriteCloser, error)

// Position is a place in the log between two events.
type Position struct {
	File   uint64
	Offset int64
}

func (p Position) String() string { return fmt.Sprintf("binlog.%06d:%d", p.File, p.Offset) }

// Writer appends events to a sequence of files.
type Writer struct {
	open    Opener
	maxSize int64

	mu  sync.Mutex // serializes Append
	out io.WriteCloser

	file   atomic.Uint64
	offset atomic.Int64
}

// NewWriter starts the log with the given file.
func NewWriter(open Opener, first uint64, maxSize int64) (*Writer, error) {
	w := &Writer{open: open, maxSize: maxSize}
	if err := w.rotateLocked(first); err != nil {
		return nil, err
	}
	return w, nil
}

// Position returns the end of the log.
func (w *Writer) Position() Position {
	return Position{
		File:   w.file.Load(),
		Offset: w.offset.Load(),
	}
}

func (w *Writer) rotateLocked(file uint64) error {
	out, err := w.open(file)
	if err != nil {
		return fmt.Errorf("binlog: open %d: %w", file, err)
	}
	if _, err := out.Write(fileMagic); err != nil {
		out.Close()
		return fmt.Errorf("binlog: header of %d: %w", file, err)
	}
	if w.out != nil {
		if err := w.out.Close(); err != nil {
			slog.Warn("binlog: close", "err", err)
		}
	}
	w.out = out
	w.file.Store(file)
	w.offset.Store(headerSize)
	return nil
}

// Append writes one event and returns the position behind it.
func (w *Writer) Append(event []byte) (Position, error) {
	w.mu.Lock()
	defer w.mu.Unlock()

	pos := w.Position()
	size := int64(len(event)) + 4
	if pos.Offset > headerSize && pos.Offset+size > w.maxSize {
		if err := w.rotateLocked(pos.File + 1); err != nil {
			return Position{}, err
		}
		pos = w.Position()
	}
	rec := binary.BigEndian.AppendUint32(make([]byte, 0, size), uint32(len(event)))
	rec = append(rec, event...)
	if _, err := w.out.Write(rec); err != nil {
		return Position{}, fmt.Errorf("binlog: append: %w", err)
	}
	pos.Offset += size
	w.offset.Store(pos.Offset)
	return pos, nil
}

// Snapshotter copies the data files as of the given log position and returns
// the name of the copy.
type Snapshotter interface {
	Snapshot(ctx context.Context, from Position) (name string, err error)
}

// Manifest says from where the log has to be replayed over a snapshot.
type Manifest struct {
	Snapshot string
	Start    Position
	TakenAt  time.Time
}

// Backup takes snapshots in the background.
type Backup struct {
	w     *Writer
	snap  Snapshotter
	store func(Manifest) error
}

// StartBackup takes a snapshot every interval until ctx is done.
func StartBackup(ctx context.Context, w *Writer, s Snapshotter, store func(Manifest) error, every time.Duration) {
	b := &Backup{w: w, snap: s, store: store}
	go func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if err := b.takeOne(ctx); err != nil {
					slog.Error("backup failed", "err", err)
				}
			}
		}
	}()
}

func (b *Backup) takeOne(ctx context.Context) error {
	start := b.w.Position()
	name, err := b.snap.Snapshot(ctx, start)
	if err != nil {
		return fmt.Errorf("snapshot at %v: %w", start, err)
	}
	return b.store(Manifest{Snapshot: name, Start: start, TakenAt: time.Now()})
}
