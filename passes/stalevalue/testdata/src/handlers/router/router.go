// Package router keeps functions and calls them when requests come.
package router

// A Handler answers a request.
type Handler interface{ Serve(path string) }

// HandlerFunc is a function as a handler.
type HandlerFunc func(path string)

// Serve calls the function.
func (f HandlerFunc) Serve(path string) { f(path) }

// A Router has a handler for each pattern.
type Router struct {
	handlers map[string]Handler
	routes   []route
	late     chan route
}

type route struct{ f func(path string) }

// Append enters a function.
func (r *Router) Append(f func(path string)) { r.routes = append(r.routes, route{f}) }

// Send enters a function later.
func (r *Router) Send(f func(path string)) { r.late <- route{f} }

// Run calls what was entered.
func (r *Router) Run() {
	for _, route := range r.routes {
		route.f("")
	}
}

// Visit calls a function by an interface, and does not keep it.
func (r *Router) Visit(f func(path string)) { walk(HandlerFunc(f), r.handlers) }

func walk(h Handler, m map[string]Handler) {
	for pattern := range m {
		h.Serve(pattern)
	}
}

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
