package doubts

import "doubts/pagecache"

// Pages are loaded when they are first asked for.
type Pages struct {
	cache *pagecache.Cache
	names *pagecache.Register
	load  func(k string) string
}

// Page may load a page twice, which the cache makes it do anyway.
func (p *Pages) Page(k string) string {
	page, ok := p.cache.Get(k)
	if !ok {
		page = p.load(k)
		p.cache.Add(k, page) // want `was checked .*\[medium confidence: it is a cache of another package, which forgets by itself\]`
	}
	return page
}

// Reserve tells two callers that they have the page.
func (p *Pages) Reserve(k string) bool {
	if _, ok := p.cache.Get(k); ok {
		return false
	}
	p.cache.Add(k, "") // want `was checked .* another goroutine may change it before this call of Add`
	return true
}

// Name may replace a name that others have.
func (p *Pages) Name(k string) string {
	name, ok := p.names.Get(k)
	if !ok {
		name = p.load(k)
		p.names.Put(k, name) // want `was checked .* another goroutine may change it before this call of Put`
	}
	return name
}
