"""What is saved for the backward: by our operation, and by autograd in PyTorch for the chunk form."""
import torch

OPERANDS = ("q", "k", "v", "decay", "write", "beta")  # what the gradient reads besides the states


def bytes_of_ours(ours):
    """The operands and the states: all that seq.mixer_grad reads of the forward."""
    return sum(ours.tensors[name].nbytes for name in (*OPERANDS, "states") if name in ours.tensors)


def bytes_of_autograd(theirs):
    """The storages of all saved tensors, each once: operands, and what the operations between them leave."""
    storages = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        storages[storage.data_ptr()] = storage.nbytes()
        return tensor  # the graph holds it, so that no other storage gets its place

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        theirs.forward()
    return sum(storages.values())


def run(contenders_of, shapes):
    """Prints a table, and gives its numbers. `contenders_of`: ours by tokens of a segment, and eager PyTorch, for a shape."""
    results = []
    for shape in shapes:
        ours, eager = contenders_of(shape)
        saved = {segment: bytes_of_ours(each) for segment, each in ours.items()}
        results.append({"name": shape.name, "saved": saved, "autograd": bytes_of_autograd(eager)})
        if len(results) == 1:
            print("| mixer | autograd, MiB |" + "".join(f" states each {segment} | of autograd's |" for segment in saved))
            print("|---|---|" + "---|---|" * len(saved))
        print_row(**results[-1])
    return results


def print_row(name, saved, autograd):
    columns = "".join(f" {each / 2**20:.1f} | {each / autograd:.2f} |" for each in saved.values())
    print(f"| {name} | {autograd / 2**20:.1f} |{columns}", flush=True)
