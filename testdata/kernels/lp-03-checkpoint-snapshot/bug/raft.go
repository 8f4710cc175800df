package raft

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

var (
	errNodeClosed   = errors.New("raft: node is closed")
	errSnapAborted  = errors.New("raft: snapshot aborted")
	errSnapInFlight = errors.New("raft: snapshot in progress")
)

const snapFileT = "snap.%d.%d"

type snapshot struct {
	lastTerm  uint64
	lastIndex uint64
	data      []byte
}

// WAL is the log of the group.
type WAL interface {
	Compact(index uint64) (uint64, error)
	Size() uint64
}

type raft struct {
	sync.RWMutex

	sd           string // Store directory
	snapfile     string // Snapshot filename
	term         uint64
	applied      uint64
	papplied     uint64
	bytes        uint64
	wal          WAL
	closed       atomic.Bool
	snapshotting *checkpoint // Snapshot in progress.
}

// New starts a group in the directory.
func New(sd string, wal WAL) *raft {
	return &raft{sd: sd, wal: wal}
}

func writeFileWithSync(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o640)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

func (n *raft) encodeSnapshot(snap *snapshot) []byte {
	buf := make([]byte, 16, 16+len(snap.data))
	binary.LittleEndian.PutUint64(buf[0:], snap.lastTerm)
	binary.LittleEndian.PutUint64(buf[8:], snap.lastIndex)
	return append(buf, snap.data...)
}

func (n *raft) snapName(term, index uint64) string {
	return filepath.Join(n.sd, fmt.Sprintf(snapFileT, term, index))
}

// checkpoint is a snapshot in the making.
type checkpoint struct {
	n        *raft
	term     uint64
	applied  uint64
	snapFile string
}

// CreateSnapshotCheckpoint reserves the snapshot of the applied state.
func (n *raft) CreateSnapshotCheckpoint(force bool) (*checkpoint, error) {
	n.Lock()
	defer n.Unlock()
	return n.createSnapshotCheckpointLocked(force)
}

func (n *raft) createSnapshotCheckpointLocked(force bool) (*checkpoint, error) {
	if n.closed.Load() {
		return nil, errNodeClosed
	}
	if !force && n.snapshotting != nil {
		return nil, errSnapInFlight
	}
	c := &checkpoint{n: n, term: n.term, applied: n.applied, snapFile: n.snapName(n.term, n.applied)}
	n.snapshotting = c
	return c, nil
}

// InstallSnapshot writes a snapshot of the present state while the lock is held.
func (n *raft) InstallSnapshot(data []byte, force bool) error {
	n.Lock()
	defer n.Unlock()

	c, err := n.createSnapshotCheckpointLocked(force)
	if err != nil {
		return err
	}
	return n.installSnapshot(&snapshot{lastTerm: c.term, lastIndex: c.applied, data: data})
}

// Lock should be held.
func (n *raft) installSnapshot(snap *snapshot) error {
	// Always reset, regardless of success or error. We do this so we can
	// interrupt an asynchronously running snapshot (if it exists).
	defer func() {
		n.snapshotting = nil
	}()

	sfile := n.snapName(snap.lastTerm, snap.lastIndex)

	if err := writeFileWithSync(sfile, n.encodeSnapshot(snap)); err != nil {
		return err
	}

	// Delete our previous snapshot file if it exists.
	if n.snapfile != "" && n.snapfile != sfile {
		os.Remove(n.snapfile)
	}
	// Remember our latest snapshot file.
	n.snapfile = sfile
	if _, err := n.wal.Compact(snap.lastIndex + 1); err != nil {
		return err
	}
	n.papplied = snap.lastIndex
	n.bytes = n.wal.Size()
	return nil
}

// InstallSnapshot completes the checkpoint. The lock is released during the writes.
func (c *checkpoint) InstallSnapshot(data []byte) error {
	n := c.n
	n.Lock()
	defer n.Unlock()
	if n.closed.Load() {
		return errNodeClosed
	}
	if n.snapshotting != c {
		// The checkpoint can be aborted at any time, don't continue if that happened.
		return errSnapAborted
	}

	// Always reset, regardless of success or error.
	defer func() {
		if n.snapshotting == c {
			n.snapshotting = nil
		}
	}()

	snap := &snapshot{lastTerm: c.term, lastIndex: c.applied, data: data}
	encoded := n.encodeSnapshot(snap)

	// Unlock while writing.
	n.Unlock()
	err := writeFileWithSync(c.snapFile, encoded)
	n.Lock()
	// On any failure path, drop the file we just wrote. Skip the remove if it's the
	// snapshot already adopted into n.snapfile for this term/applied.
	if closed := n.closed.Load(); closed || n.snapshotting != c || err != nil {
		if c.snapFile != n.snapfile {
			os.Remove(c.snapFile)
		}
		if closed {
			return errNodeClosed
		} else if n.snapshotting != c {
			return errSnapAborted
		}
		return err
	}

	// Delete our previous snapshot file if it exists.
	if n.snapfile != "" && n.snapfile != c.snapFile {
		os.Remove(n.snapfile)
	}
	// Remember our latest snapshot file.
	n.snapfile = c.snapFile
	if _, err = n.wal.Compact(snap.lastIndex + 1); err != nil {
		return err
	}
	n.papplied = snap.lastIndex
	n.bytes = n.wal.Size()
	return nil
}

// ProcessSnapshot is called with a snapshot that the leader has sent.
func (n *raft) ProcessSnapshot(snap *snapshot) error {
	n.Lock()
	defer n.Unlock()
	if n.closed.Load() {
		return errNodeClosed
	}
	if snap.lastIndex < n.applied {
		return nil
	}
	n.term, n.applied = snap.lastTerm, snap.lastIndex
	return n.installSnapshot(snap)
}
