package labels

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

type change struct {
	node   string
	rev    int
	labels map[string]string
}

type Registry struct {
	mu    sync.Mutex
	nodes map[string]map[string]string
	rev   int

	changes chan change
	drained sync.WaitGroup
}

func New(w io.Writer) *Registry {
	r := &Registry{
		nodes:   map[string]map[string]string{},
		changes: make(chan change, 64),
	}
	r.drained.Go(func() { r.journal(w) })
	return r
}

func (r *Registry) Set(node string, to map[string]string) int {
	r.mu.Lock()
	own, ok := r.nodes[node]
	if !ok {
		own = make(map[string]string, len(to))
		r.nodes[node] = own
	}
	clear(own)
	maps.Copy(own, to)
	r.rev++
	ev := change{node: node, rev: r.rev, labels: own}
	r.mu.Unlock()

	r.changes <- ev
	return ev.rev
}

func (r *Registry) render(c change) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var sb strings.Builder
	fmt.Fprintf(&sb, "%d %s", c.rev, c.node)
	for _, k := range slices.Sorted(maps.Keys(c.labels)) {
		fmt.Fprintf(&sb, " %s=%s", k, c.labels[k])
	}
	return sb.String()
}

func (r *Registry) journal(w io.Writer) {
	for c := range r.changes {
		fmt.Fprintln(w, r.render(c))
	}
}

func (r *Registry) Matching(key, value string) (nodes []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, l := range r.nodes {
		if l[key] == value {
			nodes = append(nodes, n)
		}
	}
	slices.Sort(nodes)
	return nodes
}

func (r *Registry) Close() {
	close(r.changes)
	r.drained.Wait()
}
