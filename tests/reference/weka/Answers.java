import java.io.*;
import java.util.*;
import weka.classifiers.*;
import weka.core.*;

/** Answers of Weka's learners: java -cp weka.jar Answers.java learners.tsv sets.tsv.
 *
 * A line of the first file has a learner's name, class and options; one of the second the training
 * and the test file. With "10 folds" in place of a test file the answers are those of all folds of
 * a cross-validation, as the command line makes them. Each line of the output has the training
 * file, the learner, leaves/nodes, and the predicted class of each test row. */
public class Answers {
    public static void main(String[] files) throws Exception {
        List<String[]> learners = read(files[0]);
        for (String[] set : read(files[1])) {
            Instances data = load(set[0]);
            for (String[] learner : learners) {
                System.out.print(set[0] + "\t" + learner[0] + "\t");
                try {
                    System.out.println(set[1].equals("10 folds") ? folds(data, learner)
                                                                 : test(data, load(set[1]), learner));
                } catch (Exception refused) {
                    System.out.println("refused\t");
                }
            }
        }
    }

    static String folds(Instances given, String[] learner) throws Exception {
        Random random = new Random(1);
        Instances data = new Instances(given);
        data.randomize(random);
        data.stratify(10);
        StringBuilder found = new StringBuilder("\t");
        for (int fold = 0; fold < 10; fold++) {
            Instances train = data.trainCV(10, fold, random);
            found.append(test(train, data.testCV(10, fold), learner).split("\t")[1]);
        }
        return found.toString();
    }

    static String test(Instances train, Instances test, String[] learner) throws Exception {
        String[] options = Utils.splitOptions(learner.length > 2 ? learner[2] : "");
        Classifier model = (Classifier) Utils.forName(Classifier.class, learner[1], options);
        model.buildClassifier(new Instances(train));
        StringBuilder found = new StringBuilder();
        if (model instanceof weka.classifiers.trees.J48) {
            weka.classifiers.trees.J48 tree = (weka.classifiers.trees.J48) model;
            found.append((int) tree.measureNumLeaves()).append('/').append((int) tree.measureTreeSize());
        }
        if (model instanceof weka.classifiers.trees.REPTree)
            found.append(((weka.classifiers.trees.REPTree) model).numNodes());
        if (model instanceof weka.classifiers.trees.RandomTree)
            found.append(model.toString().replaceAll("(?s).*Size of the tree : (\\d+).*", "$1"));
        found.append('\t');
        for (int i = 0; i < test.numInstances(); i++)
            found.append((char) ('0' + (int) model.classifyInstance(test.instance(i))));
        return found.toString();
    }

    static Instances load(String file) throws Exception {
        Instances data = new Instances(new BufferedReader(new FileReader(file)));
        data.setClassIndex(data.numAttributes() - 1);
        return data;
    }

    static List<String[]> read(String file) throws Exception {
        List<String[]> lines = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(new FileReader(file))) {
            for (String line; (line = reader.readLine()) != null;) lines.add(line.split("\t"));
        }
        return lines;
    }
}
