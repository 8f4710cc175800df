// Package router keeps functions and calls them when requests come.
package router

// A Handler answers a request.
type Handler interface{ Serve(path string) }

// HandlerFunc is a function as a handler.
type HandlerFunc func(path string)

// Serve calls the function.
func (f HandlerFunc) Serve(path string) { f(path) }

// A Router has a handler for each pattern.
type Router struct{ handlers map[string]Handler }

// HandleFunc enters a function.
func (r *Router) HandleFunc(pattern string, f func(path string)) { r.register(pattern, HandlerFunc(f)) }

func (r *Router) register(pattern string, h Handler) {
	if r.handlers == nil {
		r.handlers = make(map[string]Handler)
	}
	r.handlers[pattern] = h
}

// Each calls f for the patterns, and does not keep it.
func (r *Router) Each(f func(path string)) {
	for pattern := range r.handlers {
		f(pattern)
	}
}
