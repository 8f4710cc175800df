package a

import (
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"time"
)

type ID [32]byte

// node represents a host on the network.
type node struct {
	id              ID
	revalList       *revalidationList
	livenessChecks  uint // how often liveness was checked
	findFailures    int
	isValidatedLive bool
}

// transport sends packets to nodes.
type transport interface {
	ping(id ID) error
}

// Table is the 'node table'. It contains the neighbor nodes.
type Table struct {
	mutex sync.Mutex // protects nodes, their fields and reval
	nodes map[ID]*node
	reval tableRevalidation
	net   transport

	revalResponseCh chan revalidationResponse
	closed          chan struct{}
}

func newTable(net transport, interval time.Duration) *Table {
	tab := &Table{
		nodes:           make(map[ID]*node),
		net:             net,
		revalResponseCh: make(chan revalidationResponse),
		closed:          make(chan struct{}),
	}
	tab.reval.activeReq = make(map[ID]struct{})
	tab.reval.fast.name = "fast"
	tab.reval.slow.name = "slow"
	go tab.loop(interval)
	return tab
}

func (tab *Table) close() { close(tab.closed) }

// loop is the main loop of Table.
func (tab *Table) loop(interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			tab.reval.run(tab)
		case r := <-tab.revalResponseCh:
			tab.reval.handleResponse(tab, r)
		case <-tab.closed:
			return
		}
	}
}

// addNode adds a node that was found by discovery.
func (tab *Table) addNode(id ID) {
	tab.mutex.Lock()
	defer tab.mutex.Unlock()
	if tab.nodes[id] == nil {
		n := &node{id: id}
		tab.nodes[id] = n
		tab.reval.fast.push(n)
	}
}

// trackRequest is called by the lookups after a FINDNODE request. A node that
// does not answer is dropped.
func (tab *Table) trackRequest(id ID, success bool) {
	tab.mutex.Lock()
	defer tab.mutex.Unlock()
	n := tab.nodes[id]
	switch {
	case n == nil:
	case success:
		n.findFailures = 0
	default:
		if n.findFailures++; n.findFailures >= 5 {
			tab.deleteNode(id)
		}
	}
}

// deleteNode removes a node from the table. tab.mutex must be held.
func (tab *Table) deleteNode(id ID) {
	if n := tab.nodes[id]; n != nil {
		delete(tab.nodes, id)
		tab.reval.nodeRemoved(n)
	}
}

// tableRevalidation implements the node revalidation process.
// It tracks all nodes contained in Table, and schedules sending PING to them.
type tableRevalidation struct {
	fast      revalidationList
	slow      revalidationList
	activeReq map[ID]struct{}
}

type revalidationResponse struct {
	n          *node
	didRespond bool
}

// nodeRemoved is called when a node was removed from the table.
func (tr *tableRevalidation) nodeRemoved(n *node) {
	if n.revalList == nil {
		panic(fmt.Errorf("removed node %x has nil revalList", n.id))
	}
	n.revalList.remove(n)
}

// run performs node revalidation.
func (tr *tableRevalidation) run(tab *Table) {
	tab.mutex.Lock()
	defer tab.mutex.Unlock()
	for _, list := range []*revalidationList{&tr.fast, &tr.slow} {
		if n := list.get(tr.activeReq); n != nil {
			tr.activeReq[n.id] = struct{}{}
			go tab.doRevalidate(revalidationResponse{n: n}, n.id)
		}
	}
}

func (tab *Table) doRevalidate(resp revalidationResponse, id ID) {
	// Ping the selected node and wait for a pong response.
	resp.didRespond = tab.net.ping(id) == nil
	select {
	case tab.revalResponseCh <- resp:
	case <-tab.closed:
	}
}

// handleResponse processes the result of a revalidation request.
func (tr *tableRevalidation) handleResponse(tab *Table, resp revalidationResponse) {
	n := resp.n

	tab.mutex.Lock()
	defer tab.mutex.Unlock()
	delete(tr.activeReq, n.id)

	// If the node was removed from the table while getting checked, we need to stop
	// processing here to avoid re-adding it.
	if n.revalList == nil {
		return
	}

	if !resp.didRespond {
		// Revalidation failed.
		n.livenessChecks /= 3
		if n.livenessChecks <= 0 {
			tab.deleteNode(n.id)
		} else {
			tr.moveToList(&tr.fast, n)
		}
		return
	}
	// The node responded.
	n.livenessChecks++
	n.isValidatedLive = true
	// Move node over to slow queue after first validation.
	tr.moveToList(&tr.slow, n)
}

// moveToList ensures n is in the 'dest' list.
func (tr *tableRevalidation) moveToList(dest *revalidationList, n *node) {
	if n.revalList == dest {
		return
	}
	if n.revalList != nil {
		n.revalList.remove(n)
	}
	dest.push(n)
}

// revalidationList holds a list nodes.
type revalidationList struct {
	nodes []*node
	name  string
}

// get returns a random node from the queue. Nodes in the 'exclude' map are not returned.
func (list *revalidationList) get(exclude map[ID]struct{}) *node {
	if len(list.nodes) == 0 {
		return nil
	}
	n := list.nodes[rand.Intn(len(list.nodes))]
	if _, excluded := exclude[n.id]; excluded {
		return nil
	}
	return n
}

func (list *revalidationList) push(n *node) {
	list.nodes = append(list.nodes, n)
	n.revalList = list
}

func (list *revalidationList) remove(n *node) {
	i := slices.Index(list.nodes, n)
	if i == -1 {
		panic(fmt.Errorf("node %x not found in list", n.id))
	}
	list.nodes = slices.Delete(list.nodes, i, i+1)
	n.revalList = nil
}
