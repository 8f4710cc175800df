package dnsdisc

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"time"
)

type Node struct{ ID string }

type Resolver interface {
	LookupTXT(ctx context.Context, domain string) ([]string, error)
}

type linkEntry struct {
	str    string
	domain string
}

func parseLink(e string) (*linkEntry, error) {
	if !strings.HasPrefix(e, "enrtree://") {
		return nil, fmt.Errorf("wrong/missing scheme 'enrtree' in URL")
	}
	e = strings.TrimPrefix(e, "enrtree://")
	return &linkEntry{str: e, domain: e[strings.IndexByte(e, '@')+1:]}, nil
}

type linkCache struct {
	backrefs map[string]map[string]struct{}
	changed  bool
}

func (lc *linkCache) isReferenced(r string) bool { return len(lc.backrefs[r]) != 0 }

func (lc *linkCache) addLink(from, to string) {
	if _, ok := lc.backrefs[to][from]; ok {
		return
	}
	if lc.backrefs == nil {
		lc.backrefs = make(map[string]map[string]struct{})
	}
	if _, ok := lc.backrefs[to]; !ok {
		lc.backrefs[to] = make(map[string]struct{})
	}
	lc.backrefs[to][from] = struct{}{}
	lc.changed = true
}

type clientTree struct {
	c         *Client
	loc       *linkEntry
	lastCheck time.Time
	names     []string
}

func newClientTree(c *Client, loc *linkEntry) *clientTree {
	return &clientTree{c: c, loc: loc}
}

func (ct *clientTree) canSyncRandom() bool {
	return ct.lastCheck.IsZero() || len(ct.names) > 0
}

func (ct *clientTree) nextScheduledRootCheck() time.Time {
	return ct.lastCheck.Add(ct.c.recheck)
}

func (ct *clientTree) syncRandom(ctx context.Context) (*Node, error) {
	if ct.lastCheck.IsZero() || time.Now().After(ct.nextScheduledRootCheck()) {
		names, err := ct.c.resolver.LookupTXT(ctx, ct.loc.domain)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, err
		}
		ct.lastCheck, ct.names = time.Now(), names
	}
	if len(ct.names) == 0 {
		return nil, nil
	}
	n := ct.names[0]
	ct.names = ct.names[1:]
	return &Node{ID: n}, nil
}

type Client struct {
	resolver Resolver
	recheck  time.Duration
}

func NewClient(r Resolver) *Client { return &Client{resolver: r, recheck: 30 * time.Minute} }

func (c *Client) NewIterator(urls ...string) (*randomIterator, error) {
	it := c.newRandomIterator()
	for _, url := range urls {
		if err := it.addTree(url); err != nil {
			return nil, err
		}
	}
	return it, nil
}

type randomIterator struct {
	cur      *Node
	ctx      context.Context
	cancelFn context.CancelFunc
	c        *Client

	mu           sync.Mutex
	lc           linkCache              // tracks tree dependencies
	trees        map[string]*clientTree // all trees
	syncableList []*clientTree
	disabledList []*clientTree
}

func (c *Client) newRandomIterator() *randomIterator {
	ctx, cancel := context.WithCancel(context.Background())
	return &randomIterator{
		c:        c,
		ctx:      ctx,
		cancelFn: cancel,
		trees:    make(map[string]*clientTree),
	}
}

func (it *randomIterator) Node() *Node {
	return it.cur
}

func (it *randomIterator) Close() {
	it.cancelFn()

	it.mu.Lock()
	defer it.mu.Unlock()
	it.trees = nil
}

func (it *randomIterator) Next() bool {
	it.cur = it.nextNode()
	return it.cur != nil
}

func (it *randomIterator) addTree(url string) error {
	le, err := parseLink(url)
	if err != nil {
		return fmt.Errorf("invalid enrtree URL: %v", err)
	}
	it.lc.addLink("", le.str)
	return nil
}

func (it *randomIterator) nextNode() *Node {
	for {
		ct := it.pickTree()
		if ct == nil {
			return nil
		}
		n, err := ct.syncRandom(it.ctx)
		if err != nil {
			if err == it.ctx.Err() {
				return nil // context canceled.
			}
			continue
		}
		if n != nil {
			return n
		}
	}
}

func (it *randomIterator) pickTree() *clientTree {
	it.mu.Lock()
	defer it.mu.Unlock()

	if it.lc.changed {
		it.rebuildTrees()
		it.lc.changed = false
	}

	for {
		canSync, trees := it.syncableTrees()
		switch {
		case canSync:
			return trees[rand.Intn(len(trees))]
		case len(trees) > 0:
			if !it.waitForRootUpdates(trees) {
				return nil
			}
		default:
			return nil
		}
	}
}

func (it *randomIterator) syncableTrees() (canSync bool, trees []*clientTree) {
	it.syncableList = it.syncableList[:0]
	it.disabledList = it.disabledList[:0]

	for _, ct := range it.trees {
		if ct.canSyncRandom() {
			it.syncableList = append(it.syncableList, ct)
		} else {
			it.disabledList = append(it.disabledList, ct)
		}
	}
	if len(it.syncableList) > 0 {
		return true, it.syncableList
	}
	return false, it.disabledList
}

func (it *randomIterator) waitForRootUpdates(trees []*clientTree) bool {
	next := trees[0].nextScheduledRootCheck()
	for _, ct := range trees {
		if check := ct.nextScheduledRootCheck(); check.Before(next) {
			next = check
		}
		ct.lastCheck = time.Time{}
	}
	timeout := time.NewTimer(time.Until(next))
	defer timeout.Stop()
	select {
	case <-timeout.C:
		return true
	case <-it.ctx.Done():
		return false // Iterator was closed.
	}
}

func (it *randomIterator) rebuildTrees() {
	for loc := range it.trees {
		if !it.lc.isReferenced(loc) {
			delete(it.trees, loc)
		}
	}
	for loc := range it.lc.backrefs {
		if it.trees[loc] == nil {
			link, _ := parseLink("enrtree://" + loc)
			it.trees[loc] = newClientTree(it.c, link)
		}
	}
}
