package a

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

const Closed = 4

var (
	errNodeClosed  = errors.New("raft: node is closed")
	errSnapAborted = errors.New("raft: snapshot aborted")
)

type WAL interface {
	Compact(seq uint64) (uint64, error)
	Delete() error
}

type raft struct {
	sync.RWMutex
	state        atomic.Int32
	sd           string
	wal          WAL
	term         uint64
	applied      uint64
	werr         error
	papplied     uint64
	snapfile     string
	snapshotting bool
	deleted      bool
	quit         chan struct{}
}

func (n *raft) State() int32 { return n.state.Load() }

func (n *raft) shutdown() {
	if n.state.Swap(Closed) != Closed {
		close(n.quit)
	}
}

func (n *raft) Delete() {
	n.shutdown()

	n.Lock()
	defer n.Unlock()

	n.deleted = true
	n.wal.Delete()
	os.RemoveAll(n.sd)
}

type checkpoint struct {
	n        *raft
	applied  uint64
	snapFile string
}

func (n *raft) CreateSnapshotCheckpoint() (*checkpoint, error) {
	n.Lock()
	defer n.Unlock()
	if n.State() == Closed {
		return nil, errNodeClosed
	}
	if n.snapshotting {
		return nil, errSnapAborted
	}
	n.snapshotting = true
	sn := fmt.Sprintf("snap.%d.%d", n.term, n.applied)
	return &checkpoint{n: n, applied: n.applied, snapFile: filepath.Join(n.sd, sn)}, nil
}

// Lock should be held.
func (n *raft) setWriteErrLocked(err error) {
	n.werr = err
	// Abort any inflight async snapshot checkpoint.
	n.snapshotting = false
	n.shutdown()
}

// InstallSnapshot allows asynchronous installation of a snapshot by unlocking when
// performing operations that don't strictly need to be locked.
func (c *checkpoint) InstallSnapshot(data []byte) error {
	n := c.n
	n.Lock()
	defer n.Unlock()
	if !n.snapshotting {
		return errSnapAborted
	}

	// Always reset, regardless of success or error.
	defer func() { n.snapshotting = false }()

	// Unlock while writing.
	n.Unlock()
	err := os.WriteFile(c.snapFile, data, 0o640)
	n.Lock()
	if err != nil {
		if c.snapFile != n.snapfile {
			os.Remove(c.snapFile)
		}
		return err
	} else if !n.snapshotting {
		if c.snapFile != n.snapfile {
			os.Remove(c.snapFile)
		}
		return errSnapAborted
	}

	if n.snapfile != "" && n.snapfile != c.snapFile {
		os.Remove(n.snapfile)
	}
	n.snapfile = c.snapFile
	if _, err := n.wal.Compact(c.applied + 1); err != nil {
		n.setWriteErrLocked(err)
		return err
	}
	n.papplied = c.applied
	return nil
}

func (n *raft) snapshotLoop(state func(applied uint64) []byte, kick <-chan struct{}) {
	for {
		select {
		case <-n.quit:
			return
		case <-kick:
			if c, err := n.CreateSnapshotCheckpoint(); err == nil {
				go c.InstallSnapshot(state(c.applied))
			}
		}
	}
}
