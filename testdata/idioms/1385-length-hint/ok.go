package idiom1385

import (
	"sync"
	"sync/atomic"
	"time"
)

const maxBufSize = 1 << 20

type bufRows struct {
	buf  []byte
	rows int
}

func (br *bufRows) reset() {
	br.buf = br.buf[:0]
	br.rows = 0
}

type storageNode struct {
	brLock sync.Mutex
	br     bufRows

	rowsSent    atomic.Uint64
	rowsDropped atomic.Uint64
	send        func(buf []byte) error
}

var closedCh = func() <-chan struct{} {
	ch := make(chan struct{})
	close(ch)
	return ch
}()

// Push adds rows to the buffer of the node.
func (sn *storageNode) Push(buf []byte, rows int) bool {
	sn.brLock.Lock()
	defer sn.brLock.Unlock()
	if len(sn.br.buf)+len(buf) > maxBufSize {
		sn.rowsDropped.Add(uint64(rows))
		return false
	}
	sn.br.buf = append(sn.br.buf, buf...)
	sn.br.rows += rows
	return true
}

func (sn *storageNode) pendingBytes() int {
	sn.brLock.Lock()
	defer sn.brLock.Unlock()
	return len(sn.br.buf)
}

// run is the only goroutine that takes rows out of the buffer.
func (sn *storageNode) run(stopCh <-chan struct{}) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()

	var br bufRows
	mustStop := false
	for !mustStop {
		// Do not sleep if there is enough to send.
		var waitCh <-chan struct{}
		if len(br.buf) == 0 && sn.pendingBytes() > maxBufSize/4 {
			waitCh = closedCh
		}
		select {
		case <-stopCh:
			mustStop = true
		case <-ticker.C:
		case <-waitCh:
		}
		if len(br.buf) == 0 {
			sn.brLock.Lock()
			sn.br, br = br, sn.br
			sn.brLock.Unlock()
		}
		if len(br.buf) == 0 {
			continue
		}
		if err := sn.send(br.buf); err != nil {
			continue
		}
		sn.rowsSent.Add(uint64(br.rows))
		br.reset()
	}
}

// Start starts the sender of a node.
func Start(send func([]byte) error, stopCh <-chan struct{}) *storageNode {
	sn := &storageNode{send: send}
	go sn.run(stopCh)
	return sn
}
