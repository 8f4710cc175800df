package lr03

import (
	"fmt"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

type bufRows struct {
	buf  []byte
	rows int
}

type storageNode struct {
	// broken is set to non-zero if the node is temporarily unavailable.
	broken uint32

	// bcLock protects bc.
	bcLock sync.Mutex
	bc     net.Conn

	brLock sync.Mutex
	br     bufRows

	addr       string
	rowsSent   atomic.Uint64
	dialErrors atomic.Uint64
}

func (sn *storageNode) isBroken() bool {
	return atomic.LoadUint32(&sn.broken) != 0
}

func (sn *storageNode) push(buf []byte, rows int) error {
	if sn.isBroken() {
		return fmt.Errorf("%d rows dropped: %s is unavailable", rows, sn.addr)
	}
	sn.brLock.Lock()
	sn.br.buf = append(sn.br.buf, buf...)
	sn.br.rows += rows
	sn.brLock.Unlock()
	return nil
}

func (sn *storageNode) run(stopCh <-chan struct{}, peers []*storageNode) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	var br bufRows
	for {
		select {
		case <-stopCh:
			return
		case <-ticker.C:
		}
		if len(br.buf) == 0 {
			sn.brLock.Lock()
			sn.br, br = br, sn.br
			sn.brLock.Unlock()
		}
		if len(br.buf) == 0 {
			sn.checkHealth()
			continue
		}
		if !sendBufToReplicas(&br, sn, peers) {
			continue
		}
		br.buf = br.buf[:0]
		br.rows = 0
	}
}

func sendBufToReplicas(br *bufRows, sn *storageNode, peers []*storageNode) bool {
	if sn.sendBufRows(br) {
		return true
	}
	for _, p := range peers {
		if p != sn && p.sendBufRows(br) {
			return true
		}
	}
	return false
}

func (sn *storageNode) checkHealth() {
	if !sn.isBroken() {
		return
	}

	sn.bcLock.Lock()
	defer sn.bcLock.Unlock()

	if sn.bc != nil {
		log.Panicf("sn.bc must be nil when sn is broken; got %p", sn.bc)
	}
	bc, err := sn.dial()
	if err != nil {
		log.Printf("cannot dial storageNode %q: %s", sn.addr, err)
		return
	}
	sn.bc = bc
	atomic.StoreUint32(&sn.broken, 0)
}

func (sn *storageNode) sendBufRows(br *bufRows) bool {
	sn.bcLock.Lock()
	defer sn.bcLock.Unlock()

	if sn.bc == nil {
		bc, err := sn.dial()
		if err != nil {
			atomic.StoreUint32(&sn.broken, 1)
			return false
		}
		sn.bc = bc
	}
	_, err := sn.bc.Write(br.buf)
	if err == nil {
		atomic.StoreUint32(&sn.broken, 0)
		sn.rowsSent.Add(uint64(br.rows))
		return true
	}
	_ = sn.bc.Close()
	sn.bc = nil
	atomic.StoreUint32(&sn.broken, 1)
	return false
}

func (sn *storageNode) dial() (net.Conn, error) {
	c, err := net.DialTimeout("tcp", sn.addr, 5*time.Second)
	if err != nil {
		sn.dialErrors.Add(1)
		return nil, err
	}
	return c, nil
}

// StartNodes starts a sender for every node.
func StartNodes(addrs []string, stopCh <-chan struct{}) []*storageNode {
	var sns []*storageNode
	for _, a := range addrs {
		sns = append(sns, &storageNode{addr: a})
	}
	for _, sn := range sns {
		go sn.run(stopCh, sns)
	}
	return sns
}
