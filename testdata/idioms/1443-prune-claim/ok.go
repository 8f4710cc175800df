// Package server checks the permissions of clients.
package server

import (
	"strings"
	"sync"
	"sync/atomic"
)

const (
	maxPermCacheSize = 128
	pruneSize        = 32
)

type perm struct {
	allow []string
	deny  []string
}

type permissions struct {
	pub    perm
	pcsz   atomic.Int32 // number of entries of pcache
	prun   atomic.Int32 // set while one goroutine prunes
	pcache sync.Map     // subject -> bool
}

type client struct {
	cid   uint64
	perms *permissions
	viols atomic.Int64
}

func newClient(cid uint64, allow, deny []string) *client {
	return &client{cid: cid, perms: &permissions{pub: perm{allow: allow, deny: deny}}}
}

func matches(subject string, filters []string) bool {
	for _, f := range filters {
		if f == subject || f == ">" {
			return true
		}
		if p, ok := strings.CutSuffix(f, ".>"); ok && strings.HasPrefix(subject, p+".") {
			return true
		}
	}
	return false
}

// prunePubPermsCache will prune the cache via randomly
// deleting items. Doing so pruneSize items at a time.
func (c *client) prunePubPermsCache() {
	// There is a case where we can invoke this from multiple go routines,
	// (in deliverMsg() if sub.client is a LEAF), so we make sure to prune
	// from only one go routine at a time.
	if !c.perms.prun.CompareAndSwap(0, 1) {
		return
	}
	r := 0
	c.perms.pcache.Range(func(k, _ any) bool {
		if _, loaded := c.perms.pcache.LoadAndDelete(k); loaded {
			c.perms.pcsz.Add(-1)
			r++
		}
		return r < pruneSize || c.perms.pcsz.Load() > maxPermCacheSize
	})
	c.perms.prun.Store(0)
}

// pubAllowed checks on publish permissioning. The lists never change, so
// that a subject has the same answer whoever computes it.
func (c *client) pubAllowed(subject string) bool {
	if c.perms == nil {
		return true
	}
	// Check if published subject is allowed if we have permissions in place.
	if v, ok := c.perms.pcache.Load(subject); ok {
		return v.(bool)
	}
	allowed := len(c.perms.pub.allow) == 0 || matches(subject, c.perms.pub.allow)
	if allowed && matches(subject, c.perms.pub.deny) {
		allowed = false
	}
	// Update our cache here.
	if _, loaded := c.perms.pcache.LoadOrStore(subject, allowed); !loaded {
		if c.perms.pcsz.Add(1) > maxPermCacheSize {
			c.prunePubPermsCache()
		}
	}
	return allowed
}

// Publish reports whether the client may publish to the subject.
func (c *client) Publish(subject string, deliver func(cid uint64, subject string)) bool {
	if !c.pubAllowed(subject) {
		c.viols.Add(1)
		return false
	}
	deliver(c.cid, subject)
	return true
}

// Violations returns the number of rejected messages.
func (c *client) Violations() int64 {
	return c.viols.Load()
}
