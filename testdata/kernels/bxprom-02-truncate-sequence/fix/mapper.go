// Package fix writes chunks of samples to a sequence of files.
package fix

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("chunk disk mapper closed")

const (
	headerSize  = 8
	maxFileSize = 1 << 20
)

// Ref packs the number of a file and an offset.
type Ref uint64

func newRef(seq, offset uint64) Ref { return Ref(seq<<32 | offset) }

// Unpack returns file and offset.
func (r Ref) Unpack() (seq, offset int) { return int(r >> 32), int(r & (1<<32 - 1)) }

// Dir holds the files.
type Dir interface {
	Create(seq int) error
	Write(seq, offset int, p []byte) error
	Remove(seq int) error
}

// chunkPos keeps track of the position of the next chunk.
type chunkPos struct {
	seq, offset uint64
}

// getNextChunkRef plans a chunk; cutFile says that a new file must be begun.
func (f *chunkPos) getNextChunkRef(n int) (ref Ref, cutFile bool) {
	if f.offset == 0 || f.offset+uint64(n) > maxFileSize {
		f.seq++
		f.offset = headerSize
		cutFile = true
	}
	ref = newRef(f.seq, f.offset)
	f.offset += uint64(n)
	return ref, cutFile
}

func (f *chunkPos) setSeq(seq uint64) { f.seq = seq }

// ChunkDiskMapper is safe for concurrent use.
type ChunkDiskMapper struct {
	dir        Dir
	writeQueue *chunkWriteQueue

	evtlPosMtx sync.Mutex
	evtlPos    chunkPos

	writePathMtx  sync.Mutex
	closed        bool
	curFileOffset int

	// readPathMtx is taken after writePathMtx.
	readPathMtx     sync.RWMutex
	curFileSequence int
	files           map[int]int64 // file -> last time
}

// New continues after the existing files.
func New(dir Dir, existing map[int]int64, queueSize int) *ChunkDiskMapper {
	cdm := &ChunkDiskMapper{dir: dir, files: existing}
	for seq := range existing {
		cdm.evtlPos.seq = max(cdm.evtlPos.seq, uint64(seq))
	}
	cdm.writeQueue = newChunkWriteQueue(queueSize, cdm.writeChunk)
	return cdm
}

// WriteChunk plans the chunk and lets the queue write it.
func (cdm *ChunkDiskMapper) WriteChunk(p []byte, callback func(error)) Ref {
	// evtlPosMtx must be held to serialize the planning and the order of the queue.
	cdm.evtlPosMtx.Lock()
	defer cdm.evtlPosMtx.Unlock()
	ref, cutFile := cdm.evtlPos.getNextChunkRef(len(p))
	cdm.writeQueue.addJob(chunkWriteJob{cutFile: cutFile, chk: p, ref: ref, callback: callback})
	return ref
}

func (cdm *ChunkDiskMapper) writeChunk(p []byte, ref Ref, cutFile bool) error {
	cdm.writePathMtx.Lock()
	defer cdm.writePathMtx.Unlock()
	if cdm.closed {
		return ErrClosed
	}
	if cutFile {
		if err := cdm.cutAndExpectRef(ref); err != nil {
			return err
		}
	}
	seq, _ := ref.Unpack()
	err := cdm.dir.Write(seq, cdm.curFileOffset, p)
	cdm.curFileOffset += len(p)
	return err
}

func (cdm *ChunkDiskMapper) cutAndExpectRef(ref Ref) error {
	seq, offset, err := cdm.cut()
	if err != nil {
		return err
	}
	if expSeq, expOffset := ref.Unpack(); seq != expSeq || offset != expOffset {
		return fmt.Errorf("expected newly cut file to have sequence:offset %d:%d, got %d:%d", expSeq, expOffset, seq, offset)
	}
	return nil
}

// cut creates a new file after the last one. The write lock must be held.
func (cdm *ChunkDiskMapper) cut() (seq, offset int, err error) {
	cdm.readPathMtx.Lock()
	defer cdm.readPathMtx.Unlock()
	for s := range cdm.files {
		seq = max(seq, s)
	}
	seq++
	if err := cdm.dir.Create(seq); err != nil {
		return 0, 0, err
	}
	cdm.files[seq] = 0
	cdm.curFileSequence = seq
	cdm.curFileOffset = headerSize
	return seq, headerSize, nil
}

// Truncate deletes the files before fileNo.
func (cdm *ChunkDiskMapper) Truncate(fileNo int) error {
	cdm.readPathMtx.RLock()
	indices := make([]int, 0, len(cdm.files))
	for seq := range cdm.files {
		indices = append(indices, seq)
	}
	slices.Sort(indices)
	var removed []int
	for _, seq := range indices {
		if seq == cdm.curFileSequence || seq >= fileNo {
			break
		}
		removed = append(removed, seq)
	}
	cdm.readPathMtx.RUnlock()

	pending, err := cdm.deleteFiles(removed)
	if len(indices) == len(removed) {
		// All files were deleted. Reset the current sequence.
		cdm.evtlPosMtx.Lock()
		// A job in the queue may create a new file with a number that was
		// planned before the reset. Nothing is planned while the lock is held.
		if cdm.writeQueue.queueIsEmpty() {
			if err == nil {
				cdm.evtlPos.setSeq(0)
			} else {
				cdm.evtlPos.setSeq(uint64(pending[len(pending)-1]))
			}
		}
		cdm.evtlPosMtx.Unlock()
	}
	return err
}

func (cdm *ChunkDiskMapper) deleteFiles(removed []int) ([]int, error) {
	cdm.readPathMtx.Lock()
	for _, seq := range removed {
		delete(cdm.files, seq)
	}
	cdm.readPathMtx.Unlock()
	for i, seq := range removed {
		if err := cdm.dir.Remove(seq); err != nil {
			return removed[i:], err
		}
	}
	return nil, nil
}
