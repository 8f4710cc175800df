package fact

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"sort"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// PackageSummary is the fact of a package: the summaries of its functions, the properties
// of its locations, its views, and the summaries of methods of other packages that users of
// this package can call without importing those packages.
//
// A package has one fact instead of one per function because drivers decode all facts of
// all dependencies for every package. Decoding a PackageSummary copies one byte string; a
// summary is decoded when a call needs it. One fact also has room for functions that export
// data cannot name although their types leak, and leaves the choice of re-exported
// summaries to the package.
//
// The encoding is the version, a checksum of all that follows, a string table, and sections;
// integers are varints. Equal summaries have equal encodings. The checksum is there because
// most damaged encodings would otherwise decode, to other facts: drivers keep facts in files.
type PackageSummary struct {
	// Data is the encoding.
	Data []byte
}

// AFact marks PackageSummary as a fact.
func (*PackageSummary) AFact() {}

// String returns the size of the encoding.
func (p *PackageSummary) String() string {
	return fmt.Sprintf("summary(%d bytes)", len(p.Data))
}

// FormatVersion is the version of the encoding, and changes with it. A fact of another
// version is an error, which can only come from a stale cache of the driver.
const FormatVersion = 22

// errCorrupt is the error for data that EncodePackage has not written.
var errCorrupt = errors.New("corrupt summary fact")

// checksumSize is the size of the checksum in bytes.
const checksumSize = 4

// A table is a decoded PackageSummary, with its entries still encoded.
type table struct {
	failed  bool // the analysis of the package failed: there are no entries
	strings []string
	funcs   map[string][]byte // by key: see FuncKey
	locs    map[accesspath.Location][]byte
	views   [][]byte
	methods map[string][]string // keys of funcs by method name: see MethodKeys
}

// An encoder writes one PackageSummary.
type encoder struct {
	buf     []byte
	strings []string
	index   map[string]uint64
}

func (e *encoder) uint(u uint64) { e.buf = binary.AppendUvarint(e.buf, u) }

func (e *encoder) string(s string) {
	i, ok := e.index[s]
	if !ok {
		i = uint64(len(e.strings))
		e.index[s] = i
		e.strings = append(e.strings, s)
	}
	e.uint(i)
}

func (e *encoder) bool(b bool) {
	if b {
		e.uint(1)
	} else {
		e.uint(0)
	}
}

func (e *encoder) bytes(f func()) {
	outer := e.buf
	e.buf = nil
	f()
	inner := e.buf
	e.buf = binary.AppendUvarint(outer, uint64(len(inner)))
	e.buf = append(e.buf, inner...)
}

// EncodePackage encodes the summaries (by FuncKey), locations and views of a package.
func EncodePackage(funcs map[string]*FuncSummary, locs map[accesspath.Location]*LocInfo, views []*View) []byte {
	e := &encoder{index: make(map[string]uint64)}
	keys := make([]string, 0, len(funcs))
	for k := range funcs {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	e.uint(uint64(len(keys)))
	for _, k := range keys {
		e.string(k)
		e.bytes(func() { e.function(funcs[k]) })
	}
	names := make([]string, 0, len(locs))
	for l := range locs {
		names = append(names, string(l))
	}
	sort.Strings(names)
	e.uint(uint64(len(names)))
	for _, l := range names {
		e.string(l)
		e.bytes(func() { e.location(locs[accesspath.Location(l)]) })
	}
	e.uint(uint64(len(views)))
	for _, v := range views {
		e.bytes(func() { e.view(v) })
	}
	entries := e.buf
	e.buf = nil
	e.bool(false)
	e.uint(uint64(len(e.strings)))
	for _, s := range e.strings {
		e.uint(uint64(len(s)))
		e.buf = append(e.buf, s...)
	}
	return seal(append(e.buf, entries...))
}

// EncodeFailure encodes that the analysis of a package failed, and that nothing is known about
// its functions.
func EncodeFailure() []byte {
	var e encoder
	e.bool(true)
	return seal(e.buf)
}

// seal returns an encoding with the version and the checksum in front.
func seal(body []byte) []byte {
	out := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64+checksumSize+len(body)), FormatVersion)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
	return append(out, body...)
}

// unseal returns an encoding without the version and the checksum, if both are right.
func unseal(data []byte) ([]byte, error) {
	version, n := binary.Uvarint(data)
	if n <= 0 {
		return nil, errCorrupt
	}
	if version != FormatVersion {
		return nil, fmt.Errorf("summary fact has version %d, not %d", version, FormatVersion)
	}
	data = data[n:]
	if len(data) < checksumSize {
		return nil, errCorrupt
	}
	sum, body := binary.LittleEndian.Uint32(data), data[checksumSize:]
	if crc32.ChecksumIEEE(body) != sum {
		return nil, errCorrupt
	}
	return body, nil
}

func (e *encoder) function(f *FuncSummary) {
	e.string(f.Name)
	e.uint(uint64(len(f.Effects)))
	for _, op := range f.Effects {
		e.uint(uint64(op.Kind))
		e.guard(op.Guard)
		e.bool(op.May)
		e.uint(uint64(op.Outcome))
		e.uint(uint64(op.Result))
	}
	e.uint(uint64(len(f.Regions)))
	for _, r := range f.Regions {
		e.guard(r.Guard)
		e.bool(r.Entry)
		e.bool(r.Open)
		e.string(r.Pos.Text)
	}
	e.uint(uint64(len(f.Accesses)))
	for _, a := range f.Accesses {
		e.access(a)
	}
	e.uint(uint64(len(f.Results)))
	for _, r := range f.Results {
		e.uint(uint64(r.Params))
		e.ints(r.Reads)
		e.string(string(r.Path))
		e.string(string(r.Key))
		e.bool(r.Fresh)
		e.bool(r.Nil)
		e.bool(r.Verdict)
		e.uint(uint64(r.Truth))
	}
	e.uint(uint64(len(f.Outs)))
	for _, o := range f.Outs {
		e.uint(uint64(o.Param))
		e.ints(o.Reads)
	}
	e.uint(uint64(len(f.Calls)))
	for _, c := range f.Calls {
		e.uint(uint64(c.Param))
		e.uint(uint64(c.Kind))
		e.uint(c.Regions)
		e.uint(uint64(len(c.Args)))
		for _, a := range c.Args {
			e.string(string(a))
		}
	}
	e.uint(uint64(len(f.Acquires)))
	for _, a := range f.Acquires {
		e.guard(a.Guard)
		e.string(a.Pos.Text)
	}
	e.uint(uint64(f.Mutates))
	e.bool(f.Spawns)
	e.bool(f.NeedsReceiver)
}

func (e *encoder) guard(g lockset.Guard) {
	e.string(string(g.Path))
	e.string(string(g.Class))
	e.uint(uint64(g.Mode))
}

func (e *encoder) access(a Access) {
	e.uint(uint64(a.Op))
	e.string(string(a.Loc))
	e.string(string(a.Base))
	e.string(string(a.Key))
	e.uint(a.Regions)
	e.ints(a.Data)
	e.ints(a.Control)
	e.ints(a.Excludes)
	e.uint(uint64(a.DataParams))
	e.uint(uint64(a.ControlParams))
	e.uint(uint64(a.AddedParams))
	e.uint(uint64(a.TrueParams))
	e.uint(uint64(a.FalseParams))
	e.uint(uint64(a.Traits))
	e.string(a.Const)
	encodeTexts(e, a.RuledOut)
	e.uint(uint64(a.Depth))
	e.uint(uint64(a.Calls))
	e.string(a.Pos.Text)
}

func (e *encoder) ints(list []int) {
	e.uint(uint64(len(list)))
	for _, i := range list {
		e.uint(uint64(i))
	}
}

func (e *encoder) location(l *LocInfo) {
	encodeTexts(e, l.Guards)
	flags := uint64(0)
	for i, b := range []bool{l.Atomic, l.InsertOnly, l.ClockOnly, l.Counter} {
		if b {
			flags |= 1 << i
		}
	}
	e.uint(flags)
	e.string(l.Latch)
	e.uint(uint64(len(l.Writers)))
	for _, w := range l.Writers {
		e.string(w.Func)
		e.string(w.Pos.Text)
		encodeTexts(e, w.Guards)
		e.bool(w.Part)
		e.uint(uint64(w.Effect))
		e.string(w.Const)
	}
	encodeTexts(e, l.Joint)
	e.uint(uint64(len(l.Together)))
	for _, t := range l.Together {
		e.string(string(t.Loc))
		e.string(t.Func)
	}
}

func (e *encoder) view(v *View) {
	e.uint(uint64(v.Kind))
	e.string(string(v.Guard))
	e.uint(uint64(len(v.Vars)))
	for _, x := range v.Vars {
		e.string(string(x.Loc))
		e.string(string(x.Base))
	}
	encodeTexts(e, v.Removals)
	encodeTexts(e, v.Locks)
	e.string(v.Func)
	e.string(v.Pos.Text)
}

func encodeTexts[T ~string](e *encoder, list []T) {
	e.uint(uint64(len(list)))
	for _, text := range list {
		e.string(string(text))
	}
}

// A decoder reads the encoding. After the first error all further reads return zero values.
type decoder struct {
	buf     []byte
	strings []string
	err     error
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errCorrupt
	}
	d.buf = nil
}

func (d *decoder) uint() uint64 {
	u, n := binary.Uvarint(d.buf)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.buf = d.buf[n:]
	return u
}

// small reads an integer that is at most max.
func (d *decoder) small(max uint64) uint64 {
	u := d.uint()
	if u > max {
		d.fail()
		return 0
	}
	return u
}

// count reads the length of a list. Each element takes at least one byte, which bounds the
// length by what is left of the data.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.buf)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) bool() bool { return d.small(1) == 1 }

func (d *decoder) string() string {
	i := d.uint()
	if i >= uint64(len(d.strings)) {
		d.fail()
		return ""
	}
	return d.strings[i]
}

func (d *decoder) bytes() []byte {
	n := d.count()
	b := d.buf[:n:n]
	d.buf = d.buf[n:]
	return b
}

// decodePackage decodes the string table and finds the entries, which stay encoded.
func decodePackage(data []byte) (*table, error) {
	body, err := unseal(data)
	if err != nil {
		return nil, err
	}
	d := &decoder{buf: body}
	if d.bool() && len(d.buf) == 0 {
		return &table{failed: true}, nil
	}
	n := d.count()
	d.strings = make([]string, 0, n)
	for range n {
		d.strings = append(d.strings, string(d.bytes()))
	}
	t := &table{funcs: make(map[string][]byte), locs: make(map[accesspath.Location][]byte)}
	for range d.count() {
		k := d.string()
		t.funcs[k] = d.bytes()
	}
	for range d.count() {
		l := d.string()
		t.locs[accesspath.Location(l)] = d.bytes()
	}
	for range d.count() {
		t.views = append(t.views, d.bytes())
	}
	if len(d.buf) > 0 {
		d.fail()
	}
	t.strings = d.strings
	return t, d.err
}

// function decodes one summary.
func (t *table) function(data []byte) (*FuncSummary, error) {
	d := &decoder{buf: data, strings: t.strings}
	f := &FuncSummary{Name: d.string(), Foreign: true}
	for range d.count() {
		f.Effects = append(f.Effects, lockset.Op{
			Kind:    lockset.OpKind(d.small(uint64(lockset.Split))),
			Guard:   d.guard(),
			May:     d.bool(),
			Outcome: lockset.Outcome(d.small(uint64(lockset.IfNil))),
			Result:  int(d.small(MaxAccesses)),
		})
	}
	for range d.count() {
		f.Regions = append(f.Regions, Region{Guard: d.guard(), Entry: d.bool(), Open: d.bool(), Pos: Pos{Text: d.string()}})
	}
	accesses := d.count()
	for range accesses {
		f.Accesses = append(f.Accesses, d.access(accesses, len(f.Regions)))
	}
	for range d.count() {
		f.Results = append(f.Results, Result{
			Params:  uint32(d.small(math.MaxUint32)),
			Reads:   d.ints(accesses),
			Path:    accesspath.Path(d.string()),
			Key:     accesspath.Path(d.string()),
			Fresh:   d.bool(),
			Nil:     d.bool(),
			Verdict: d.bool(),
			Truth:   Truth(d.small(uint64(Negated))),
		})
	}
	for range d.count() {
		f.Outs = append(f.Outs, Out{Param: int(d.small(MaxParams - 1)), Reads: d.ints(accesses)})
	}
	for range d.count() {
		c := ParamCall{
			Param:   int(d.small(MaxParams)),
			Kind:    CallKind(d.small(uint64(Escapes))),
			Regions: d.regions(len(f.Regions)),
		}
		for range d.count() {
			c.Args = append(c.Args, accesspath.Path(d.string()))
		}
		f.Calls = append(f.Calls, c)
	}
	for range d.count() {
		f.Acquires = append(f.Acquires, Acquisition{d.guard(), Pos{Text: d.string()}})
	}
	f.Mutates = uint32(d.small(math.MaxUint32))
	f.Spawns = d.bool()
	f.NeedsReceiver = d.bool()
	if len(d.buf) > 0 {
		d.fail()
	}
	return f, d.err
}

func (d *decoder) guard() lockset.Guard {
	return lockset.Guard{
		Path:  accesspath.Path(d.string()),
		Class: accesspath.Location(d.string()),
		Mode:  lockset.Mode(d.small(uint64(lockset.Once))),
	}
}

// regions reads a bit set of indexes below n.
func (d *decoder) regions(n int) uint64 {
	set := d.uint()
	if n < 64 && set>>n != 0 {
		d.fail()
		return 0
	}
	return set
}

func (d *decoder) access(accesses, regions int) Access {
	a := Access{
		Op:            Op(d.small(math.MaxUint8)),
		Loc:           accesspath.Location(d.string()),
		Base:          accesspath.Path(d.string()),
		Key:           accesspath.Key(d.string()),
		Regions:       d.regions(regions),
		Data:          d.ints(accesses),
		Control:       d.ints(accesses),
		Excludes:      d.ints(accesses),
		DataParams:    uint32(d.small(math.MaxUint32)),
		ControlParams: uint32(d.small(math.MaxUint32)),
		AddedParams:   uint32(d.small(math.MaxUint32)),
		TrueParams:    uint32(d.small(math.MaxUint32)),
		FalseParams:   uint32(d.small(math.MaxUint32)),
	}
	a.Traits = Traits(d.small(allTraits))
	a.Const = d.string()
	a.RuledOut = decodeTexts[string](d)
	a.Depth = uint8(d.small(MaxDepth))
	a.Calls = uint8(d.small(MaxDepth))
	a.Pos.Text = d.string()
	return a
}

// ints reads a list of indexes below n.
func (d *decoder) ints(n int) []int {
	var list []int
	for range d.count() {
		i := d.uint()
		if i >= uint64(n) {
			d.fail()
			return nil
		}
		list = append(list, int(i))
	}
	return list
}

// location decodes the properties of location l.
func (t *table) location(l accesspath.Location, data []byte) (*LocInfo, error) {
	d := &decoder{buf: data, strings: t.strings}
	info := &LocInfo{Loc: l, Guards: decodeTexts[accesspath.Location](d)}
	flags := d.small(15)
	info.Atomic, info.InsertOnly, info.ClockOnly, info.Counter = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	info.Latch = d.string()
	for range d.count() {
		info.Writers = append(info.Writers, Writer{
			Func: d.string(), Pos: Pos{Text: d.string()}, Guards: decodeTexts[accesspath.Location](d), Part: d.bool(),
			Effect: Effect(d.small(uint64(Lowers))), Const: d.string(), Fn: -1,
		})
	}
	info.Joint = decodeTexts[accesspath.Location](d)
	for range d.count() {
		info.Together = append(info.Together, TogetherWrite{accesspath.Location(d.string()), d.string()})
	}
	if len(d.buf) > 0 {
		d.fail()
	}
	return info, d.err
}

// view decodes one view.
func (t *table) view(data []byte) (*View, error) {
	d := &decoder{buf: data, strings: t.strings}
	v := &View{Kind: ViewKind(d.small(uint64(JoinedView))), Guard: accesspath.Location(d.string()), Fn: -1}
	for range d.count() {
		v.Vars = append(v.Vars, Var{accesspath.Location(d.string()), accesspath.Path(d.string())})
	}
	v.Removals, v.Locks, v.Func, v.Pos = decodeTexts[accesspath.Location](d), decodeTexts[accesspath.Location](d), d.string(), Pos{Text: d.string()}
	if len(d.buf) > 0 {
		d.fail()
	}
	return v, d.err
}

func decodeTexts[T ~string](d *decoder) []T {
	var list []T
	for range d.count() {
		list = append(list, T(d.string()))
	}
	return list
}

// EncodeOne returns the encoding of one summary, for comparison with others.
func EncodeOne(s *FuncSummary) string {
	return string(EncodePackage(map[string]*FuncSummary{"": s}, nil, nil))
}
