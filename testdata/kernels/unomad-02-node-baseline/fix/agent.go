// Package fix registers a node and reports changes of its attributes.
package fix

import (
	"context"
	"hash/fnv"
	"log"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	retryInterval = 15 * time.Second
	watchInterval = 5 * time.Second
)

// Node is what the servers know about a machine.
type Node struct {
	ID         string
	Attributes map[string]string
	Meta       map[string]string
}

func (n *Node) copy() *Node {
	return &Node{ID: n.ID, Attributes: maps.Clone(n.Attributes), Meta: maps.Clone(n.Meta)}
}

func hashMap(m map[string]string) uint64 {
	h := fnv.New64a()
	for _, k := range slices.Sorted(maps.Keys(m)) {
		h.Write([]byte(k + "=" + m[k] + "\n"))
	}
	return h.Sum64()
}

// Fingerprinter finds attributes of the machine from time to time.
type Fingerprinter interface {
	Fingerprint() map[string]string
	Period() time.Duration
}

// Agent keeps the servers informed about its node.
type Agent struct {
	register func(*Node) error

	configLock sync.RWMutex
	node       *Node
}

// Start runs an agent until ctx ends.
func Start(ctx context.Context, node *Node, fps []Fingerprinter, register func(*Node) error) *Agent {
	a := &Agent{register: register, node: node.copy()}
	for _, fp := range fps {
		go a.fingerprintPeriodic(ctx, fp)
	}
	go a.registerAndWatch(ctx)
	return a
}

func (a *Agent) fingerprintPeriodic(ctx context.Context, fp Fingerprinter) {
	for {
		attrs := fp.Fingerprint()
		a.configLock.Lock()
		maps.Copy(a.node.Attributes, attrs)
		a.configLock.Unlock()
		select {
		case <-time.After(fp.Period()):
		case <-ctx.Done():
			return
		}
	}
}

// SetMeta changes one value of the metadata.
func (a *Agent) SetMeta(key, value string) {
	a.configLock.Lock()
	defer a.configLock.Unlock()
	a.node.Meta[key] = value
}

// Node returns a copy of the node.
func (a *Agent) Node() *Node {
	a.configLock.RLock()
	defer a.configLock.RUnlock()
	return a.node.copy()
}

// nodeChanged compares the node with the given hashes.
func (a *Agent) nodeChanged(oldAttr, oldMeta uint64) (changed bool, attr, meta uint64) {
	a.configLock.RLock()
	defer a.configLock.RUnlock()
	attr = hashMap(a.node.Attributes)
	meta = hashMap(a.node.Meta)
	return attr != oldAttr || meta != oldMeta, attr, meta
}

func (a *Agent) registerAndWatch(ctx context.Context) {
	// Take the hashes first. They may be out of date with what is
	// registered, but then the watch registers the node once more.
	_, attrHash, metaHash := a.nodeChanged(0, 0)

	a.retryRegister(ctx)
	a.watchNode(ctx, attrHash, metaHash)
}

// retryRegister sends the node until the servers have taken it.
func (a *Agent) retryRegister(ctx context.Context) {
	for {
		err := a.register(a.Node())
		if err == nil {
			return
		}
		log.Printf("[ERR] registering node: %v", err)
		select {
		case <-time.After(retryInterval):
		case <-ctx.Done():
			return
		}
	}
}

// watchNode registers the node again when it no longer has the given hashes.
func (a *Agent) watchNode(ctx context.Context, attrHash, metaHash uint64) {
	for {
		select {
		case <-time.After(watchInterval):
			var changed bool
			changed, attrHash, metaHash = a.nodeChanged(attrHash, metaHash)
			if changed {
				a.retryRegister(ctx)
			}
		case <-ctx.Done():
			return
		}
	}
}
